package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// alive reports whether something in the group still runs. Zombies do not: a
// child of a program that is gone stays one for ever where process 1 reaps
// nothing, as in many containers.
func (g group) alive() bool {
	if syscall.Kill(-g.id, 0) != nil {
		return false
	}
	dir, err := os.Open("/proc")
	if err != nil {
		return true
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return true
	}
	want := []byte(strconv.Itoa(g.id))
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		if state, id := stat(name); bytes.Equal(id, want) && state != 'Z' && state != 'X' {
			return true
		}
	}
	return false
}

// stat returns the state of a process and the number of its group, from
// /proc/PID/stat: pid (name) state parent group …, see proc_pid_stat(5).
func stat(pid string) (state byte, group []byte) {
	line, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return 0, nil
	}
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(fields) < 3 {
		return 0, nil
	}
	return fields[0][0], fields[2]
}
