package deliver

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Process is a running program.
type Process struct {
	ID   int
	Name string // as the kernel knows it, "tmux: server"
}

// deepest is how many processes above one are looked at.
const deepest = 32

// psWait is how long ps may take, where there is no /proc.
const psWait = time.Second

// Lineage returns the processes above the one with the id, the nearest first,
// and nothing of what the system does not tell. It reads /proc, or runs ps.
func Lineage(id int) []Process {
	if parent, _, ok := procStat(os.Getpid()); ok && parent >= 0 {
		return above(id, procStat)
	}
	ctx, cancel := context.WithTimeout(context.Background(), psWait)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=,comm=").Output()
	if err != nil {
		return nil
	}
	return above(id, psTable(string(out)))
}

// above climbs from a process to the first one.
func above(id int, stat func(id int) (parent int, name string, ok bool)) []Process {
	var out []Process
	id, _, ok := stat(id)
	for ok && id > 0 && len(out) < deepest {
		parent, name, known := stat(id)
		if !known {
			break
		}
		out = append(out, Process{id, name})
		id = parent
	}
	return out
}

// procStat reads a line of /proc/PID/stat: "12 (tmux: server) S 1 …". The name
// may hold brackets.
func procStat(id int) (parent int, name string, ok bool) {
	line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "stat"))
	if err != nil {
		return 0, "", false
	}
	open, closed := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || closed < open {
		return 0, "", false
	}
	fields := strings.Fields(string(line[closed+1:]))
	if len(fields) < 2 {
		return 0, "", false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, string(line[open+1 : closed]), err == nil
}

// psTable looks processes up in what ps printed.
func psTable(out string) func(id int) (parent int, name string, ok bool) {
	type row struct {
		parent int
		name   string
	}
	rows := map[int]row{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		id, err := strconv.Atoi(fields[0])
		if err != nil {
			continue
		}
		parent, err := strconv.Atoi(fields[1])
		if err != nil {
			continue
		}
		rows[id] = row{parent, filepath.Base(strings.Join(fields[2:], " "))}
	}
	return func(id int) (int, string, bool) {
		r, ok := rows[id]
		return r.parent, r.name, ok
	}
}

// ProcessEnv returns a variable of the environment that one of our user's
// processes was started with, "" if it is not set or nobody tells.
func ProcessEnv(id int, name string) string {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "environ"))
	if err != nil {
		return ""
	}
	for pair := range bytes.SplitSeq(data, []byte{0}) {
		if value, ok := bytes.CutPrefix(pair, []byte(name+"=")); ok {
			return string(value)
		}
	}
	return ""
}
