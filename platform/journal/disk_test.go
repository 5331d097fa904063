package journal

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// ram is a disk in memory. It keeps a list of all that was done to it, from
// which every state can be made that a power cut may leave.
type ram struct {
	mu    sync.Mutex
	t     testing.TB
	names map[string]*inode
	dirs  map[string]bool
	log   []op
	nodes int

	// fault is asked before every operation that changes something. Short says
	// that a write takes half of it.
	fault func(o op) (err error, short bool)
	room  int64         // what is left, in bytes; below 0: any
	hang  chan struct{} // writes and syncs wait for its end
}

type inode struct {
	number int
	data   []byte
	holder *ramFile
	broken bool // a sync of it has failed
}

type kind string

const (
	opCreate kind = "create"
	opWrite  kind = "write"
	opSync   kind = "sync"
	opCut    kind = "truncate"
	opRename kind = "rename"
	opRemove kind = "remove"
	opDir    kind = "syncdir"
	opMkdir  kind = "mkdir"
	opAck    kind = "acknowledged"
)

type op struct {
	kind  kind
	path  string
	to    string
	inode int
	data  []byte
	size  int64
	n     int // its place among the operations
}

func newRAM(t testing.TB) *ram {
	return &ram{t: t, names: map[string]*inode{}, dirs: map[string]bool{}, room: -1}
}

// do logs an operation, or fails it. The lock is held.
func (d *ram) do(o op) (err error, short bool) {
	o.n = len(d.log)
	if d.fault != nil {
		err, short = d.fault(o)
	}
	if err == nil && !short {
		d.log = append(d.log, o)
	}
	return err, short
}

func (d *ram) wait(k kind) {
	d.mu.Lock()
	hang := d.hang
	d.mu.Unlock()
	if hang != nil && (k == opWrite || k == opSync) {
		<-hang
	}
}

func (d *ram) Open(path string, flag int) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	node := d.names[path]
	switch {
	case node == nil && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	case node != nil && flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrExist}
	case node == nil:
		if !d.dirs[filepath.Dir(path)] {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		d.nodes++
		if err, _ := d.do(op{kind: opCreate, path: path, inode: d.nodes}); err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		node = &inode{number: d.nodes}
		d.names[path] = node
	}
	return &ramFile{disk: d, node: node, path: path}, nil
}

func (d *ram) Mkdir(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dirs[path] {
		return nil
	}
	if err, _ := d.do(op{kind: opMkdir, path: path}); err != nil {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	d.dirs[path] = true
	return nil
}

func (d *ram) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	node := d.names[from]
	if node == nil {
		return fs.ErrNotExist
	}
	if err, _ := d.do(op{kind: opRename, path: from, to: to}); err != nil {
		return err
	}
	delete(d.names, from)
	d.names[to] = node
	return nil
}

func (d *ram) Remove(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.names[path] == nil {
		if d.dirs[path] {
			delete(d.dirs, path)
			return nil
		}
		return &fs.PathError{Op: "remove", Path: path, Err: fs.ErrNotExist}
	}
	if err, _ := d.do(op{kind: opRemove, path: path}); err != nil {
		return err
	}
	delete(d.names, path)
	return nil
}

func (d *ram) Lstat(path string) (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if node := d.names[path]; node != nil {
		return ramInfo{path, node, int64(len(node.data))}, nil
	}
	if d.dirs[path] {
		return ramInfo{path, nil, 0}, nil
	}
	return nil, &fs.PathError{Op: "lstat", Path: path, Err: fs.ErrNotExist}
}

func (d *ram) Same(a, b fs.FileInfo) bool {
	x, y := a.(ramInfo), b.(ramInfo)
	return x.node == y.node && x.node != nil
}

func (d *ram) ReadDir(path string) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.dirs[path] {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	var all []fs.DirEntry
	for name, node := range d.names {
		if filepath.Dir(name) == path {
			all = append(all, fs.FileInfoToDirEntry(ramInfo{name, node, int64(len(node.data))}))
		}
	}
	for name := range d.dirs {
		if filepath.Dir(name) == path {
			all = append(all, fs.FileInfoToDirEntry(ramInfo{name, nil, 0}))
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

func (d *ram) SyncDir(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err, _ := d.do(op{kind: opDir, path: path})
	return err
}

// acknowledge notes that something was said to be on the disk.
func (d *ram) acknowledge(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log = append(d.log, op{kind: opAck, path: what})
}

type ramInfo struct {
	path string
	node *inode
	size int64
}

func (i ramInfo) Name() string       { return filepath.Base(i.path) }
func (i ramInfo) Size() int64        { return i.size }
func (i ramInfo) ModTime() time.Time { return time.Time{} }
func (i ramInfo) IsDir() bool        { return i.node == nil }
func (i ramInfo) Sys() any           { return nil }
func (i ramInfo) Mode() fs.FileMode {
	if i.IsDir() {
		return fs.ModeDir | 0o700
	}
	return 0o600
}

type ramFile struct {
	disk *ram
	node *inode
	path string
}

func (f *ramFile) Write(b []byte) (int, error) {
	f.disk.wait(opWrite)
	d := f.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	o := op{kind: opWrite, path: f.path, inode: f.node.number, data: bytes.Clone(b), size: int64(len(f.node.data))}
	n := len(b)
	err, short := d.do(o)
	if d.room >= 0 && int64(n) > d.room {
		n, err = int(d.room), errFull
	}
	if short {
		n = len(b) / 2
	}
	if err != nil || short {
		if n = min(n, len(b)/2); err != nil && err != errFull {
			n = 0
		}
		if n > 0 {
			o.data = o.data[:n]
			d.log = append(d.log, o)
		}
	}
	if d.room >= 0 {
		d.room -= int64(n)
	}
	f.node.data = append(f.node.data, b[:n]...)
	return n, err
}

func (f *ramFile) ReadAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return bytes.NewReader(f.node.data).ReadAt(b, at)
}

func (f *ramFile) Sync() error {
	f.disk.wait(opSync)
	d := f.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if f.node.broken {
		d.t.Errorf("%s was synced again after that had failed", f.path)
	}
	err, _ := d.do(op{kind: opSync, path: f.path, inode: f.node.number})
	f.node.broken = err != nil
	return err
}

func (f *ramFile) Truncate(size int64) error {
	d := f.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if err, _ := d.do(op{kind: opCut, path: f.path, inode: f.node.number, size: size}); err != nil {
		return err
	}
	if freed := int64(len(f.node.data)) - size; d.room >= 0 && freed > 0 {
		d.room += freed
	}
	f.node.data = f.node.data[:size]
	return nil
}

func (f *ramFile) Stat() (fs.FileInfo, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return ramInfo{f.path, f.node, int64(len(f.node.data))}, nil
}

func (f *ramFile) Lock() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.node.holder != nil && f.node.holder != f {
		return errLocked
	}
	f.node.holder = f
	return nil
}

func (f *ramFile) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.node.holder == f {
		f.node.holder = nil
	}
	return nil
}

// fate is what becomes of data that was not synced when the power goes.
type fate string

const (
	kept    fate = "kept"
	dropped fate = "dropped"
	cut     fate = "cut"
	zeroed  fate = "zeroed"
)

// after is the disk as it can be when the power went after n operations. Names
// that were not synced are there, or are not.
func (d *ram) after(n int, data fate, names bool) *ram {
	type content struct{ safe, now, zero []byte }
	nodes := map[int]*content{}
	safe, now := map[string]int{}, map[string]int{}
	out := newRAM(d.t)
	for _, o := range d.log[:n] {
		c := nodes[o.inode]
		switch o.kind {
		case opMkdir:
			out.dirs[o.path] = true
		case opCreate:
			nodes[o.inode] = &content{}
			now[o.path] = o.inode
		case opWrite:
			c.now = append(c.now, o.data...)
			c.zero = append(c.zero, make([]byte, len(o.data))...)
		case opCut:
			c.now = c.now[:o.size]
			c.zero = c.zero[:o.size]
		case opSync:
			c.safe, c.zero = bytes.Clone(c.now), bytes.Clone(c.now)
		case opRename:
			now[o.to] = now[o.path]
			delete(now, o.path)
		case opRemove:
			delete(now, o.path)
		case opDir:
			for _, from := range []map[string]int{safe, now} {
				for path := range from {
					if filepath.Dir(path) != o.path {
						continue
					}
					if number, ok := now[path]; ok {
						safe[path] = number
					} else {
						delete(safe, path)
					}
				}
			}
		}
	}
	there := safe
	if names {
		there = now
	}
	for path, number := range there {
		c := nodes[number]
		out.nodes = max(out.nodes, number)
		node := &inode{number: number}
		switch data {
		case kept:
			node.data = bytes.Clone(c.now)
		case dropped:
			node.data = bytes.Clone(c.safe)
		case cut:
			node.data = bytes.Clone(c.now)
			if len(c.safe) < len(c.now) {
				node.data = node.data[:(len(c.safe)+len(c.now))/2]
			}
		case zeroed:
			node.data = bytes.Clone(c.zero)
		}
		out.names[path] = node
	}
	return out
}

// snapshot is the disk as it is.
func (d *ram) snapshot() map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]string{}
	for path, node := range d.names {
		out[path] = string(node.data)
	}
	return out
}

// restored is a disk with the files of a snapshot.
func restored(t testing.TB, files map[string]string) *ram {
	d := newRAM(t)
	for path, data := range files {
		d.nodes++
		d.names[path] = &inode{number: d.nodes, data: []byte(data)}
		d.dirs[filepath.Dir(path)] = true
	}
	return d
}

var _ io.ReaderAt = (*ramFile)(nil)

func (o op) String() string {
	return fmt.Sprintf("%s %s %s (%d bytes, %d)", o.kind, filepath.Base(o.path), filepath.Base(o.to), len(o.data), o.size)
}

func (d *ram) list() string {
	var b strings.Builder
	for i, o := range d.log {
		fmt.Fprintf(&b, "%d %s\n", i, o)
	}
	for _, path := range slices.Sorted(maps.Keys(d.names)) {
		fmt.Fprintf(&b, "%s: %d bytes\n", path, len(d.names[path].data))
	}
	return b.String()
}
