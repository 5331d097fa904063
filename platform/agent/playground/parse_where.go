package playground

// maxDepth bounds how deep brackets and nots may stand in each other.
const maxDepth = 100

// where takes a condition when the word where comes next, else nil.
func (p *parser) where() condition {
	if !p.any("where", "if", "when") {
		return nil
	}
	return p.either()
}

func (p *parser) either() condition { return p.chain("or", "OR", p.both) }

func (p *parser) both() condition { return p.chain("and", "AND", p.not) }

// chain takes conditions with a word between them.
func (p *parser) chain(word, op string, part func() condition) condition {
	first := part()
	if !p.peek().is(word) {
		return first
	}
	all := logical{op: op, terms: []condition{first}}
	for p.accept(word) {
		all.terms = append(all.terms, part())
	}
	return all
}

func (p *parser) not() condition {
	p.depth++
	if p.depth > maxDepth {
		panic(misfit{plainErrorf("The condition is nested more than %d deep.", maxDepth)})
	}
	defer func() { p.depth-- }()
	if p.accept("not") {
		return negation{p.not()}
	}
	if p.accept("(") {
		c := p.either()
		p.need(")")
		return c
	}
	return p.predicate()
}

// predicate takes a column and what is said of it.
func (p *parser) predicate() condition {
	column := p.name()
	if p.accept("is") {
		not := p.accept("not")
		if p.any("null", "empty", "missing") {
			return isNull{column, not}
		}
		op := "="
		if not {
			op = "<>"
		}
		return comparison{column, op, p.term()}
	}
	not := p.accept("not")
	switch {
	case p.accept("like"):
		return like{column: column, not: not, pattern: true, text: p.value()}
	case p.any("contains", "containing"), p.accept("contain"):
		return like{column: column, not: not, before: "%", after: "%", text: p.value()}
	case p.words("starts", "with"):
		return like{column: column, not: not, after: "%", text: p.value()}
	case p.words("ends", "with"):
		return like{column: column, not: not, before: "%", text: p.value()}
	case p.accept("in"):
		p.need("(")
		c := oneOf{column: column, not: not, values: p.values()}
		p.need(")")
		return c
	case p.accept("between"):
		c := between{column: column, not: not, from: p.value()}
		p.need("and")
		c.to = p.value()
		return c
	}
	if not {
		p.bad()
	}
	for _, op := range [...][2]string{{"=", "="}, {"==", "="}, {"!=", "<>"}, {"<>", "<>"}, {"<=", "<="}, {">=", ">="}, {"<", "<"}, {">", ">"}} {
		if p.accept(op[0]) {
			return comparison{column, op[1], p.term()}
		}
	}
	p.bad()
	return nil
}
