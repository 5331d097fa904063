package playground

// A command is one command of the simple language, parsed: names are as they
// were typed, nothing is looked up yet.
type command interface{ form() string }

type (
	createTable struct {
		name    string
		columns []columnSpec
	}
	dropTable   struct{ name string }
	renameTable struct{ name, to string }
	addColumn   struct {
		table  string
		column columnSpec
	}
	dropColumn   struct{ table, column string }
	renameColumn struct{ table, column, to string }
	insertRows   struct {
		table   string
		columns []string
		rows    [][]value
	}
	updateRows struct {
		table string
		sets  []assignment
		where condition
	}
	deleteRows struct {
		table string
		where condition
	}
	showRows struct {
		table   string
		columns []string
		where   condition
		sort    []sortKey
		limit   string
	}
	showTables    struct{}
	describeTable struct{ name string }
	countRows     struct {
		table string
		where condition
	}
	importFile struct{ table, path string }
	exportFile struct{ table, path string }
	moreRows   struct{}
)

// A columnSpec is a column as create table and add column describe it.
type columnSpec struct {
	name     string
	typ      string // SQL; empty: not said
	required bool
	unique   bool
	key      bool
	fallback *value
	refTable string
	refCol   string
	onDelete string // SQL of the action; empty: none
}

type assignment struct {
	column string
	value  term
}

type sortKey struct {
	column string
	down   bool
}

// A value is a literal as it was typed.
type value struct {
	kind valueKind
	text string
}

type valueKind uint8

const (
	nullValue   valueKind = iota
	textValue             // it stood in quotes
	numberValue           // with its sign
	wordValue             // a bare word: yes, today, 2024-12-31, or a text without quotes
)

// A term is a value or, for a bare word, perhaps a column; with op, two of
// them: age + 1.
type term struct {
	left  value
	op    string // + - * / or empty
	right value
}

// A condition is what stands after where; nil is no condition.
type condition interface{ isCondition() }

type (
	logical struct {
		op    string // AND or OR
		terms []condition
	}
	negation   struct{ of condition }
	comparison struct {
		column string
		op     string // SQL: =, <>, <, <=, >, >=
		value  term
	}
	isNull struct {
		column string
		not    bool
	}
	like struct {
		column        string
		before, after string // % where anything may stand
		pattern       bool   // the text is a LIKE pattern already
		not           bool
		text          value
	}
	oneOf struct {
		column string
		not    bool
		values []value
	}
	between struct {
		column string
		not    bool
		from   value
		to     value
	}
)

func (logical) isCondition()    {}
func (negation) isCondition()   {}
func (comparison) isCondition() {}
func (isNull) isCondition()     {}
func (like) isCondition()       {}
func (oneOf) isCondition()      {}
func (between) isCondition()    {}

// The forms that an error message and the help show.
const (
	createForm   = "create table NAME with COLUMN TYPE, …"
	dropForm     = "drop table NAME"
	renameForm   = "rename table NAME to NEW"
	addForm      = "add column COLUMN TYPE to TABLE"
	dropColForm  = "drop column COLUMN from TABLE"
	renColForm   = "rename column COLUMN to NEW in TABLE"
	insertForm   = `insert into TABLE COLUMN VALUE, …`
	updateForm   = "update TABLE set COLUMN VALUE, … where COLUMN = VALUE"
	deleteForm   = "delete from TABLE where COLUMN = VALUE"
	showForm     = "show TABLE where … sort by COLUMN limit N"
	describeForm = "describe TABLE"
	countForm    = "count TABLE where …"
	importForm   = `import TABLE from "FILE.csv"`
	exportForm   = `export TABLE to "FILE.csv"`
	moreForm     = "more"
)

func (createTable) form() string   { return createForm }
func (dropTable) form() string     { return dropForm }
func (renameTable) form() string   { return renameForm }
func (addColumn) form() string     { return addForm }
func (dropColumn) form() string    { return dropColForm }
func (renameColumn) form() string  { return renColForm }
func (insertRows) form() string    { return insertForm }
func (updateRows) form() string    { return updateForm }
func (deleteRows) form() string    { return deleteForm }
func (showRows) form() string      { return showForm }
func (showTables) form() string    { return "show tables" }
func (describeTable) form() string { return describeForm }
func (countRows) form() string     { return countForm }
func (importFile) form() string    { return importForm }
func (exportFile) form() string    { return exportForm }
func (moreRows) form() string      { return moreForm }
