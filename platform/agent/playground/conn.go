package playground

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// connection is what the agent needs of a driver's connection. database/sql is
// left out on purpose: its pool would hide the one connection that carries the
// transaction, the hooks and an open cursor.
type connection interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	sqlite.AuthorizerRegisterer
	sqlite.HookRegisterer
	ColumnInfo(query string) ([]sqlite.ColumnInfo, error)
}

// A database is the one connection to SQLite. It is used by one goroutine at a
// time; only interrupt may come from another.
type database struct {
	conn   connection
	handle uintptr // sqlite3*, for interrupt
	start  func(func())
	open   bool     // a transaction is open
	sets   bool     // a PRAGMA may change a setting
	seen   []action // what the authorizer saw of the statement compiled last
	tally  tally    // the rows that were touched since the tally was cleared
}

// An action is one thing that a statement does, as SQLite's authorizer names it
// (https://www.sqlite.org/c3ref/c_alter_table.html).
type action struct {
	code     sqlite.AuthorizerActionCode
	arg1     string
	arg2     string
	database string
}

// connect opens one connection. dsn is a file: URI or :memory: with the
// driver's parameters.
func connect(dsn string, start func(func())) (*database, error) {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, fmt.Errorf("read the database address: %w", err)
	}
	c, err := connector.Connect(context.Background())
	if err != nil {
		return nil, err
	}
	conn, ok := c.(connection)
	if !ok {
		return nil, errors.Join(errors.New("the SQLite driver lacks a hook"), c.Close())
	}
	d := &database{conn: conn, start: start}
	// The driver interrupts only a statement's first step when its context
	// ends, and gives no handle to do better: a later row that takes for ever
	// could not be cancelled. The handle is its field db.
	if field := reflect.ValueOf(c).Elem().FieldByName("db"); field.Kind() == reflect.Uintptr {
		d.handle = uintptr(field.Uint())
	}
	conn.RegisterPreUpdateHook(func(row sqlite.SQLitePreUpdateData) { d.tally.add(&row) })
	err = conn.RegisterAuthorizer(func(code sqlite.AuthorizerActionCode, arg1, arg2, db, _ string) sqlite.AuthorizerReturnCode {
		a := action{code, arg1, arg2, db}
		d.seen = append(d.seen, a)
		if a.setsPragma() && !d.sets {
			return sqlite.AuthorizerDeny
		}
		return sqlite.AuthorizerOK
	})
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return d, nil
}

func (d *database) close() error {
	d.rollback()
	return d.conn.Close()
}

// interruptible makes the connection give up what it is doing when ctx ends.
// The caller must call the function it returns when it is done; after that no
// interrupt comes any more.
func (d *database) interruptible(ctx context.Context) (release func()) {
	if ctx.Done() == nil || d.handle == 0 {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	d.start(func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			tls := libc.NewTLS()
			defer tls.Close()
			sqlite3.Xsqlite3_interrupt(tls, d.handle)
		case <-done:
		}
	})
	return func() {
		close(done)
		<-ended
	}
}

// setting runs f with the right to change settings by PRAGMA. Without it they
// are refused when they are compiled, because SQLite obeys many of them then
// and there already (https://www.sqlite.org/pragma.html).
func (d *database) setting(f func() error) error {
	d.sets = true
	defer func() { d.sets = false }()
	return f()
}

// setsPragma reports a PRAGMA that changes something.
func (a action) setsPragma() bool {
	return a.code == sqlite.AuthPragma && a.arg2 != "" && !readingPragma(a.arg1)
}

// inspect compiles a statement without running it.
func (d *database) inspect(sql string) ([]sqlite.ColumnInfo, []action, error) {
	d.seen = nil
	cols, err := d.conn.ColumnInfo(sql)
	return cols, d.seen, err
}

func named(args []any) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, v := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}

// exec runs SQL that gives no rows.
func (d *database) exec(ctx context.Context, sql string, args ...any) error {
	_, err := d.conn.ExecContext(ctx, sql, named(args))
	return err
}

// inserter is a prepared statement.
type inserter interface {
	driver.Stmt
	driver.StmtExecContext
}

// prepare compiles a statement that is run many times; it must be closed.
func (d *database) prepare(ctx context.Context, sql string) (inserter, error) {
	s, err := d.conn.PrepareContext(ctx, sql)
	if err != nil {
		return nil, err
	}
	if i, ok := s.(inserter); ok {
		return i, nil
	}
	return nil, errors.Join(errors.New("the SQLite driver lacks prepared statements"), s.Close())
}

// query runs a statement and gives its rows, which must be closed.
func (d *database) query(ctx context.Context, sql string, args ...any) (*cursor, error) {
	rows, err := d.conn.QueryContext(ctx, sql, named(args))
	if err != nil {
		return nil, err
	}
	c := &cursor{db: d, rows: rows, names: rows.Columns()}
	c.row = make([]driver.Value, len(c.names))
	return c, nil
}

// all runs a query of the agent's own and gives its rows whole.
func (d *database) all(ctx context.Context, sql string, args ...any) ([][]driver.Value, error) {
	c, err := d.query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	var out [][]driver.Value
	for {
		row, err := c.next()
		if errors.Is(err, io.EOF) {
			return out, c.close()
		}
		if err != nil {
			return nil, errors.Join(err, c.close())
		}
		out = append(out, append([]driver.Value(nil), row...))
	}
}

// number runs a query that gives one number.
func (d *database) number(ctx context.Context, sql string, args ...any) (int64, error) {
	rows, err := d.all(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	if len(rows) == 1 && len(rows[0]) == 1 {
		if n, ok := rows[0][0].(int64); ok {
			return n, nil
		}
	}
	return 0, fmt.Errorf("count: got no number")
}

// begin opens the prompt's transaction, once, and takes the right to write.
func (d *database) begin(ctx context.Context) error {
	if d.open {
		return nil
	}
	if err := d.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	d.open = true
	return nil
}

func (d *database) commit() error {
	if !d.open {
		return nil
	}
	if err := d.exec(context.Background(), "COMMIT"); err != nil {
		return err
	}
	d.open = false
	return nil
}

// rollback undoes the open transaction, if there is one. SQLite may have
// rolled it back by itself (an interrupt, a full disk), so its error says
// nothing.
func (d *database) rollback() {
	if d.open {
		_ = d.exec(context.Background(), "ROLLBACK")
		d.open = false
	}
}

// A cursor gives the rows of one statement, one at a time.
type cursor struct {
	db    *database
	rows  driver.Rows
	names []string
	row   []driver.Value
}

// next gives the next row, which is good until the call after it, or io.EOF.
func (c *cursor) next() ([]driver.Value, error) {
	if err := c.rows.Next(c.row); err != nil {
		return nil, err
	}
	return c.row, nil
}

func (c *cursor) close() error { return c.rows.Close() }

// A tally counts the rows that a statement touched, by table, in the order in
// which the tables were first touched. It comes from SQLite's pre-update hook,
// so it knows cascades, triggers and the rows that a REPLACE takes away.
type tally struct{ changes []change }

// A change is what happened to one table.
type change struct {
	table                      string
	direct                     bool // by the statement itself, not by a cascade or a trigger
	inserted, updated, deleted int64
	last                       int64 // the row id inserted last
}

func (t *tally) add(row *sqlite.SQLitePreUpdateData) {
	if systemTable(row.TableName) {
		return
	}
	direct := row.Depth() == 0
	var c *change
	for i := range t.changes {
		if t.changes[i].table == row.TableName && t.changes[i].direct == direct {
			c = &t.changes[i]
		}
	}
	if c == nil {
		t.changes = append(t.changes, change{table: row.TableName, direct: direct})
		c = &t.changes[len(t.changes)-1]
	}
	switch row.Op {
	case sqlite3.SQLITE_INSERT:
		c.inserted++
		c.last = row.NewRowID
	case sqlite3.SQLITE_UPDATE:
		c.updated++
	case sqlite3.SQLITE_DELETE:
		c.deleted++
	}
}
