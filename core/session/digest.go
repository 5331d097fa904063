package session

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
)

// Digest identifies all that a request shows. An answer names the digest it was
// given for, so that a request that changed after it was shown cannot be
// answered by it (REQ 4, T47).
func (r *Request) Digest() string {
	h := sha256.New()
	put(h, string(r.Kind), r.Prompt, r.From, r.Claim, r.Scope, r.Other, r.Blocked, fmt.Sprint(r.TakesReason))
	put(h, fmt.Sprint(len(r.Choices)))
	put(h, r.Choices...)
	put(h, fmt.Sprint(r.Means), fmt.Sprint(len(r.Fields)))
	for _, f := range r.Fields {
		put(h, f.Name, f.Value, f.Lang, fmt.Sprint(f.Warn))
	}
	put(h, fmt.Sprint(len(r.Inputs)))
	for _, in := range r.Inputs {
		in.digest(h)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// put writes strings so that none can pass for the end of another.
func put(h hash.Hash, parts ...string) {
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
}
