package playground

// command reads a whole command after its verb.
func (p *parser) command() command {
	switch {
	case p.any("create", "make"):
		return p.create()
	case p.any("drop", "remove"):
		return p.drop()
	case p.accept("rename"):
		return p.rename()
	case p.words("add", "column"), p.words("add", "columns"):
		return p.addColumn()
	case p.any("insert", "add"):
		return p.insert()
	case p.any("update", "change"):
		return p.update()
	case p.accept("delete"):
		return p.delete()
	case p.any("show", "list"):
		return p.show()
	case p.any("describe", "desc"):
		p.form = describeForm
		p.accept("table")
		return describeTable{p.name()}
	case p.accept("count"):
		return p.count()
	case p.accept("import"):
		return p.importFile()
	case p.accept("export"):
		return p.exportFile()
	case p.accept("more"):
		return moreRows{}
	}
	if p.peek().kind == endToken {
		p.bad()
	}
	panic(misfit{plainError(unknownCommand(p.peek().val))})
}

func (p *parser) create() command {
	p.form = createForm
	p.accept("new")
	p.need("table")
	c := createTable{name: p.name()}
	p.any("with", "having", "of", ":")
	if p.end() {
		return c
	}
	bracket := p.accept("(")
	c.columns = append(c.columns, p.columnSpec())
	for p.any(",", "and") {
		c.columns = append(c.columns, p.columnSpec())
	}
	if bracket {
		p.need(")")
	}
	return c
}

func (p *parser) columnSpec() columnSpec {
	c := columnSpec{name: p.name()}
	p.accept(":")
	c.typ = p.typeName()
	for {
		switch {
		case p.any("required"), p.words("not", "null"), p.any("mandatory"):
			c.required = true
		case p.any("optional", "null"):
		case p.accept("unique"):
			c.unique = true
		case p.words("primary", "key"), p.words("key"):
			c.key = true
		case p.accept("default"):
			p.any("=", "is", "to")
			v := p.value()
			c.fallback = &v
		case p.words("refers", "to"), p.accept("references"), p.accept("->"):
			c.refTable = p.name()
			if p.accept("(") {
				c.refCol = p.name()
				p.need(")")
			} else if p.accept(".") {
				c.refCol = p.name()
			}
		case p.words("on", "delete"):
			c.onDelete = p.deleteAction()
		default:
			return c
		}
	}
}

func (p *parser) deleteAction() string {
	switch {
	case p.accept("cascade"):
		return "CASCADE"
	case p.words("set", "null"):
		return "SET NULL"
	case p.accept("restrict"):
		return "RESTRICT"
	}
	p.bad()
	return ""
}

// typeName takes a column's type, if one is said, and gives it as SQLite
// declares it.
func (p *parser) typeName() string {
	t := p.peek()
	if t.kind != wordToken {
		return ""
	}
	typ := sqlType(t.val)
	if typ == "" {
		return ""
	}
	p.i++
	if t.is("yes") && (p.accept("-") || p.accept("/")) {
		p.need("no")
	}
	if p.accept("(") { // varchar(20), decimal(10, 2): SQLite keeps no lengths
		p.values()
		p.need(")")
	}
	return typ
}

func (p *parser) drop() command {
	if p.any("column", "field") {
		p.form = dropColForm
		first := p.name()
		if p.accept(".") {
			return dropColumn{first, p.name()}
		}
		p.need("from", "of", "in")
		p.accept("table")
		return dropColumn{p.name(), first}
	}
	p.form = dropForm
	p.need("table")
	return dropTable{p.name()}
}

func (p *parser) rename() command {
	if !p.any("column", "field") {
		p.form = renameForm
		p.accept("table")
		c := renameTable{name: p.name()}
		p.need("to", "as")
		c.to = p.name()
		return c
	}
	p.form = renColForm
	c := renameColumn{column: p.name()}
	if p.accept(".") {
		c.table, c.column = c.column, p.name()
	} else if p.any("in", "of", "from") {
		c.table = p.name()
	}
	p.need("to", "as")
	c.to = p.name()
	if c.table == "" {
		p.need("in", "of", "from")
		p.accept("table")
		c.table = p.name()
	}
	return c
}

func (p *parser) addColumn() command {
	p.form = addForm
	if p.ahead(1).kind == punctToken && p.ahead(1).val == "." {
		table := p.name()
		p.need(".")
		return addColumn{table, p.columnSpec()}
	}
	c := addColumn{column: p.columnSpec()}
	p.need("to", "in")
	p.accept("table")
	c.table = p.name()
	return c
}

func (p *parser) insert() command {
	p.form = insertForm
	p.any("into", "to")
	c := insertRows{table: p.name()}
	if p.accept("(") {
		c.columns = append(c.columns, p.name())
		for p.accept(",") {
			c.columns = append(c.columns, p.name())
		}
		p.need(")")
		p.need("values", "value")
		c.rows = p.rows()
		return c
	}
	if p.any("values", "value") {
		c.rows = p.rows()
		return c
	}
	p.any("with", "set", ":")
	if p.end() {
		return c
	}
	var row []value
	for {
		c.columns = append(c.columns, p.name())
		p.any("=", ":", "is")
		row = append(row, p.value())
		if !p.any(",", "and") {
			c.rows = [][]value{row}
			return c
		}
	}
}

// rows takes the rows after values: in brackets, or a single one without.
func (p *parser) rows() [][]value {
	if t := p.peek(); t.kind != punctToken || t.val != "(" {
		return [][]value{p.values()}
	}
	var out [][]value
	for {
		p.need("(")
		out = append(out, p.values())
		p.need(")")
		if !p.accept(",") {
			return out
		}
	}
}

func (p *parser) update() command {
	p.form = updateForm
	c := updateRows{table: p.name()}
	p.any("set", "with", ":")
	for {
		a := assignment{column: p.name()}
		p.any("=", ":", "to")
		a.value = p.term()
		c.sets = append(c.sets, a)
		if !p.any(",", "and") {
			break
		}
	}
	c.where = p.where()
	return c
}

func (p *parser) delete() command {
	p.form = deleteForm
	p.accept("all")
	p.accept("from")
	c := deleteRows{table: p.name()}
	c.where = p.where()
	return c
}

func (p *parser) show() command {
	p.form = showForm
	if p.peek().is("tables") && (p.ahead(1).kind == endToken || p.ahead(1).val == ";") {
		p.i++
		return showTables{}
	}
	p.accept("all")
	c := showRows{}
	names := []string{p.name()}
	for p.accept(",") {
		names = append(names, p.name())
	}
	if p.any("from", "of", "in") {
		c.columns, names = names, []string{p.name()}
	}
	if len(names) != 1 {
		p.bad()
	}
	c.table = names[0]
	for {
		switch {
		case c.where == nil && p.peek().is("where"):
			c.where = p.where()
		case c.sort == nil && p.any("sort", "sorted", "order", "ordered"):
			p.accept("by")
			c.sort = p.sortKeys()
		case c.limit == "" && p.any("limit", "first", "top"):
			c.limit = p.limit()
		default:
			return c
		}
	}
}

func (p *parser) limit() string {
	t := p.peek()
	if t.kind != numberToken || !wholeNumber(t.val) {
		p.bad()
	}
	p.i++
	return t.val
}

func (p *parser) sortKeys() []sortKey {
	var out []sortKey
	for {
		k := sortKey{column: p.name()}
		if p.any("desc", "descending", "down") {
			k.down = true
		} else {
			p.any("asc", "ascending", "up")
		}
		out = append(out, k)
		if !p.accept(",") {
			return out
		}
	}
}

func (p *parser) count() command {
	p.form = countForm
	if p.words("rows", "in") || p.words("rows", "of") {
		p.accept("table")
	}
	c := countRows{table: p.name()}
	c.where = p.where()
	return c
}

func (p *parser) importFile() command {
	p.form = importForm
	p.accept("into")
	c := importFile{table: p.name()}
	p.need("from")
	c.path = p.path()
	return c
}

func (p *parser) exportFile() command {
	p.form = exportForm
	c := exportFile{table: p.name()}
	if p.any("to", "into", "as") {
		c.path = p.path()
	}
	return c
}

// path takes a file's path: in quotes, or bare up to the next blank.
func (p *parser) path() string {
	if p.quotedName() {
		return p.next().val
	}
	first := p.peek()
	if first.kind == endToken {
		p.bad()
	}
	path := first.val
	for end := first.end; ; {
		p.i++
		t := p.peek()
		if t.kind == endToken || t.start != end || t.val == ";" {
			return path
		}
		path += t.val
		end = t.end
	}
}
