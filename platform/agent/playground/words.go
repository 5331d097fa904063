package playground

import (
	"fmt"
	"strings"

	"copydesk/core/session"
)

// appCommand obeys the words that are for the program itself.
func (t *turn) appCommand(words []string) error {
	arg := ""
	if len(words) > 1 {
		arg = strings.ToLower(strings.Join(words[1:], " "))
	}
	switch strings.ToLower(words[0]) {
	case "mode":
		return t.setMode(arg)
	case "messages":
		return t.setMessages(arg)
	}
	return t.help(arg)
}

func (t *turn) setMode(to string) error {
	a := t.a
	switch to {
	case "":
		mode, _ := a.settings()
		return t.send(session.Notice{Text: "The mode is " + mode + ". " + other(mode)})
	case simple, advanced:
		a.mu.Lock()
		a.mode = to
		a.mu.Unlock()
		return t.send(session.Notice{Text: "The mode is " + to + " now. " + other(to)})
	}
	return plainErrorf("There is no mode %q. The forms are: mode, mode simple, mode advanced.", to)
}

// other says how to leave a mode.
func other(mode string) string {
	if mode == simple {
		return "mode advanced runs plain SQL."
	}
	return "mode simple takes commands such as show tables."
}

func (t *turn) setMessages(to string) error {
	a := t.a
	switch to {
	case "":
		_, messages := a.settings()
		return t.send(session.Notice{Text: fmt.Sprintf("Messages are %s.", messages)})
	case short, verbose:
		a.mu.Lock()
		a.messages = to
		a.mu.Unlock()
		return t.send(session.Notice{Text: fmt.Sprintf("Messages are %s now.", to)})
	}
	return plainErrorf("Messages cannot be %q. The forms are: messages, messages short, messages verbose.", to)
}

// A topic is one entry of the help.
type topic struct {
	word  string
	forms []string
	says  string
	tries []string // examples that run one after the other
}

func topics() []topic {
	return []topic{
		{"create", []string{createForm}, "Makes a table. Types are text, int, number, real, date, datetime, time, yes-no and blob. " +
			"After a type may stand `required`, `unique`, `primary key`, `default VALUE`, and `-> TABLE` for a reference (`on delete cascade` too). " +
			"A key column `id` is added when none is named.",
			[]string{`create table orders with what text required, paid yes-no default no, customer -> customers`}},
		{"drop", []string{dropForm, dropColForm}, "Takes away a table or a column. You are asked first when it has rows.",
			[]string{`drop table orders`, `drop column age from customers`}},
		{"rename", []string{renameForm, renColForm}, "Gives a table or a column another name.",
			[]string{`rename table customers to clients`, `rename column age to years in clients`}},
		{"add", []string{addForm}, "Adds a column to a table.", []string{`add column phone text default "-" to customers`}},
		{"insert", []string{insertForm, "insert into TABLE (COLUMN, …) values (VALUE, …), …", "insert into TABLE"},
			"Adds rows. Values that a row must have and that you did not give are asked for.",
			[]string{`insert into customers name "Ada", age 36`, `insert into customers (name, age) values ("Bob", 41), ("Cleo", 29)`}},
		{"update", []string{updateForm}, "Changes rows. You are asked first, with the number of rows.",
			[]string{`update customers set age age + 1 where name = "Ada"`}},
		{"delete", []string{deleteForm}, "Deletes rows. You are asked first, with the number of rows, those that go by a cascade too.",
			[]string{`delete from customers where age > 40`}},
		{"show", []string{showForm, "show COLUMN, … from TABLE …", "show tables"},
			fmt.Sprintf("Shows rows, %d at a time; `more` shows the next ones.", pageRows),
			[]string{`show customers where age >= 30 sort by name`, `show name from customers where name starts with "A"`}},
		{"where", []string{"where CONDITION and CONDITION or (…)"},
			"A condition is `COLUMN = VALUE` (also `<> < <= > >=`), `is null`, `is not null`, `contains`, `starts with`, `ends with`, " +
				"`like`, `in (…)`, `between … and …`, with `not` before any of them.",
			[]string{`count customers where age between 20 and 40 and not name = "Bob"`}},
		{"describe", []string{describeForm}, "Shows a table's columns and their rules.", []string{`describe customers`}},
		{"count", []string{countForm}, "Counts rows.", []string{`count customers where age > 30`}},
		{"import", []string{importForm}, "Reads a CSV file whose first line names the columns; semicolons or tabs can part them too. " +
			"A missing table is made, with the types that fit the values.",
			[]string{`import customers from "customers.csv"`}},
		{"export", []string{exportForm}, "Writes a table as CSV. A file that is there is replaced only when you approve.",
			[]string{`export customers to "customers.csv"`}},
		{"more", []string{moreForm}, "Shows the next rows of the last result.", nil},
		{"mode", []string{"mode", "mode simple", "mode advanced"},
			"Says or sets the mode. Advanced mode runs plain SQLite SQL, several statements with `;` between them, all or nothing.",
			[]string{`mode advanced`, `explain query plan select * from customers`}},
		{"messages", []string{"messages", "messages short", "messages verbose"}, "Says or sets how much is told beside the results.", nil},
		{"copy", []string{"copy", "copy all", "copy last"}, "Copies the panel, or the last command with its result.", nil},
	}
}

func (t *turn) help(word string) error {
	if word == "" {
		return t.send(session.Text{Chunk: overview()})
	}
	first, _, _ := strings.Cut(word, " ")
	var words []string
	for _, topic := range topics() {
		if topic.word == first {
			return t.send(session.Text{Chunk: topic.markdown()})
		}
		words = append(words, topic.word)
	}
	return plainErrorf("There is no help on %q. The forms are: help, help WORD, where WORD can be %s.", word, strings.Join(words, ", "))
}

func (p topic) markdown() string {
	var out strings.Builder
	for _, f := range p.forms {
		out.WriteString("**`" + f + "`**  \n")
	}
	out.WriteString("\n" + p.says + "\n")
	if len(p.tries) > 0 {
		out.WriteString("\n```\n" + strings.Join(p.tries, "\n") + "\n```\n")
	}
	return out.String()
}

func overview() string {
	return "## A first minute\n\n```\n" +
		"create table customers with name text required, age int\n" +
		"insert into customers name \"Ada\", age 36\n" +
		"insert into customers (name, age) values (\"Bob\", 41), (\"Cleo\", 29)\n" +
		"show customers where age > 30 sort by name\n" +
		"update customers set age 37 where name = \"Ada\"\n" +
		"delete from customers where name = \"Bob\"\n" +
		"```\n\n" +
		"Each command shows the SQL that it becomes. What destroys something asks first.\n\n" +
		"## Commands\n\n" +
		"- **Tables**: `create table`, `drop table`, `rename table`, `add column`, `drop column`, `rename column`, `show tables`, `describe`\n" +
		"- **Rows**: `insert into`, `update`, `delete from`, `show`, `count`, `more`\n" +
		"- **Files**: `import T from \"f.csv\"`, `export T to \"f.csv\"`\n" +
		"- **Desk**: `mode simple` or `mode advanced` (plain SQL), `messages short` or `messages verbose`, `copy`, `copy last`\n\n" +
		"`help create` and the like tell more, `help where` tells about conditions.\n"
}
