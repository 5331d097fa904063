package journal

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// memory is a disk that remembers what was done to it, fails when told to, and
// can be seen as it would be after a power cut.
type memory struct {
	mu    sync.Mutex
	nodes map[string]*node // by path
	dirs  map[string]bool
	log   []step

	// fail is asked before everything that changes something or can; the number
	// is how many bytes of a write get through.
	fail func(what, name string) (int, error)
}

type node struct {
	data   []byte
	locked *handle
	mode   fs.FileMode
}

// step is something that was done.
type step struct {
	what string // make, write, sync, truncate, rename, remove, syncdir, mkdir
	name string
	to   string
	on   *node
	data []byte
	size int64
}

func newMemory() *memory {
	return &memory{nodes: map[string]*node{}, dirs: map[string]bool{"/": true}}
}

func (m *memory) may(what, name string) (int, error) {
	if m.fail == nil {
		return 0, nil
	}
	return m.fail(what, name)
}

type handle struct {
	m    *memory
	n    *node
	name string
}

func (m *memory) Open(name string, flag int) (file, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, there := m.nodes[name]
	if flag&os.O_CREATE == 0 {
		if !there {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return &handle{m, n, name}, nil
	}
	if there {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	}
	if _, err := m.may("make", name); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if !m.dirs[filepath.Dir(name)] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	n = &node{mode: 0o600}
	m.nodes[name] = n
	m.log = append(m.log, step{what: "make", name: name, on: n})
	return &handle{m, n, name}, nil
}

type info struct {
	name string
	n    *node
	size int64
}

func (i info) Name() string { return filepath.Base(i.name) }
func (i info) Size() int64  { return i.size }
func (i info) Mode() fs.FileMode {
	if i.n == nil {
		return fs.ModeDir | 0o700
	}
	return i.n.mode
}
func (i info) ModTime() time.Time         { return time.Time{} }
func (i info) IsDir() bool                { return i.n == nil }
func (i info) Sys() any                   { return nil }
func (i info) Type() fs.FileMode          { return i.Mode().Type() }
func (i info) Info() (fs.FileInfo, error) { return i, nil }

func (m *memory) Lstat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.nodes[name]; ok {
		return info{name, n, int64(len(n.data))}, nil
	}
	if m.dirs[name] {
		return info{name: name}, nil
	}
	return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
}

func (m *memory) Same(a, b fs.FileInfo) bool { return a.(info).n == b.(info).n }

func (m *memory) MkdirAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dirs[name] {
		return nil
	}
	if _, err := m.may("mkdir", name); err != nil {
		return err
	}
	for d := name; !m.dirs[d]; d = filepath.Dir(d) {
		m.dirs[d] = true
		m.log = append(m.log, step{what: "mkdir", name: d})
	}
	return nil
}

func (m *memory) ReadDir(name string) ([]fs.DirEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []fs.DirEntry
	for path, n := range m.nodes {
		if filepath.Dir(path) == name {
			out = append(out, info{path, n, int64(len(n.data))})
		}
	}
	for path := range m.dirs {
		if filepath.Dir(path) == name && path != name {
			out = append(out, info{name: path})
		}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

func (m *memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.may("rename", from); err != nil {
		return err
	}
	n, ok := m.nodes[from]
	if !ok {
		return fs.ErrNotExist
	}
	delete(m.nodes, from)
	m.nodes[to] = n
	m.log = append(m.log, step{what: "rename", name: from, to: to, on: n})
	return nil
}

func (m *memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.nodes[name]; !ok && !m.dirs[name] {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	if _, err := m.may("remove", name); err != nil {
		return err
	}
	delete(m.nodes, name)
	delete(m.dirs, name)
	m.log = append(m.log, step{what: "remove", name: name})
	return nil
}

func (m *memory) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.may("syncdir", name); err != nil {
		return err
	}
	m.log = append(m.log, step{what: "syncdir", name: name})
	return nil
}

func (h *handle) Write(p []byte) (int, error) {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	n, err := h.m.may("write", h.name)
	if err == nil {
		n = len(p)
	}
	n = min(n, len(p))
	if n > 0 {
		h.n.data = append(h.n.data, p[:n]...)
		h.m.log = append(h.m.log, step{what: "write", name: h.name, on: h.n, data: slices.Clone(p[:n])})
	}
	if err == errShort {
		err = nil
	}
	return n, err
}

func (h *handle) ReadAt(p []byte, off int64) (int, error) {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if off >= int64(len(h.n.data)) {
		return 0, io.EOF
	}
	n := copy(p, h.n.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *handle) Sync() error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if _, err := h.m.may("sync", h.name); err != nil {
		return err
	}
	h.m.log = append(h.m.log, step{what: "sync", name: h.name, on: h.n})
	return nil
}

func (h *handle) Truncate(size int64) error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if _, err := h.m.may("truncate", h.name); err != nil {
		return err
	}
	h.n.data = h.n.data[:size:size]
	h.m.log = append(h.m.log, step{what: "truncate", name: h.name, on: h.n, size: size})
	return nil
}

func (h *handle) Stat() (fs.FileInfo, error) {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	return info{h.name, h.n, int64(len(h.n.data))}, nil
}

func (h *handle) Lock() error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if h.n.locked != nil && h.n.locked != h {
		return errLocked
	}
	h.n.locked = h
	return nil
}

func (h *handle) Close() error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if h.n.locked == h {
		h.n.locked = nil
	}
	return nil
}

// fate says what a power cut makes of bytes that were written and not synced.
type fate uint8

const (
	keptData fate = iota
	lostData
	cutData
	zeroData
	fates
)

// crash is the disk as a power cut after so many steps can leave it. early says
// that names have reached the disk before they were synced.
func (m *memory) crash(steps int, f fate, early bool) *memory {
	type content struct{ data, safe []byte }
	all := map[*node]*content{}
	now, safe := map[string]*node{}, map[string]*node{}
	dirs := map[string]bool{"/": true}
	for _, s := range m.log[:steps] {
		switch s.what {
		case "make":
			all[s.on] = &content{}
			now[s.name] = s.on
		case "write":
			all[s.on].data = append(all[s.on].data, s.data...)
		case "truncate":
			all[s.on].data = slices.Clone(all[s.on].data[:s.size])
		case "sync":
			all[s.on].safe = slices.Clone(all[s.on].data)
		case "rename":
			delete(now, s.name)
			now[s.to] = s.on
		case "remove":
			delete(now, s.name)
		case "mkdir":
			dirs[s.name] = true
		case "syncdir":
			for name := range safe {
				if filepath.Dir(name) == s.name {
					delete(safe, name)
				}
			}
			for name, n := range now {
				if filepath.Dir(name) == s.name {
					safe[name] = n
				}
			}
		}
	}
	names := safe
	if early {
		names = now
	}
	out := newMemory()
	out.dirs = dirs
	for name, n := range names {
		c := all[n]
		data := slices.Clone(c.safe)
		if len(c.data) >= len(c.safe) && string(c.data[:len(c.safe)]) == string(c.safe) {
			rest := c.data[len(c.safe):]
			switch f {
			case keptData:
				data = append(data, rest...)
			case cutData:
				data = append(data, rest[:len(rest)*2/3]...)
			case zeroData:
				data = append(data, make([]byte, len(rest))...)
			}
		} else if f == keptData {
			data = slices.Clone(c.data)
		}
		out.nodes[name] = &node{data: data, mode: 0o600}
	}
	return out
}
