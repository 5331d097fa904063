package playground

import (
	"slices"
	"strings"

	"copydesk/core/text"
)

// compiler writes conditions and terms of one table as SQL.
type compiler struct {
	t  *turn
	of *table
}

// where writes " WHERE …", or nothing without a condition. It says where a
// number will be compared as text, before anything is changed by that.
func (c compiler) where(cond condition) (string, error) {
	if cond == nil {
		return "", nil
	}
	sql, err := c.condition(cond, "")
	if err != nil {
		return "", err
	}
	for _, name := range c.t.asText {
		if err := c.t.note("%s holds text, so it is compared as text.", text.CleanLine(name)); err != nil {
			return "", err
		}
	}
	return " WHERE " + sql, nil
}

// compared keeps in mind a text column that is compared with a number.
func (c compiler) compared(col *column, values ...value) {
	number := slices.ContainsFunc(values, func(v value) bool { return v.kind == numberValue })
	if number && affinity(col.typ) == "TEXT" && !slices.Contains(c.t.asText, col.name) {
		c.t.asText = append(c.t.asText, col.name)
	}
}

// condition writes a condition that stands inside of the operator outer.
func (c compiler) condition(cond condition, outer string) (string, error) {
	switch cond := cond.(type) {
	case logical:
		parts := make([]string, len(cond.terms))
		for i, term := range cond.terms {
			var err error
			if parts[i], err = c.condition(term, cond.op); err != nil {
				return "", err
			}
		}
		sql := strings.Join(parts, " "+cond.op+" ")
		if outer != "" && outer != cond.op {
			sql = "(" + sql + ")"
		}
		return sql, nil
	case negation:
		sql, err := c.condition(cond.of, "")
		return "NOT (" + sql + ")", err
	case comparison:
		col, err := c.t.column(c.of, cond.column)
		if err != nil {
			return "", err
		}
		c.compared(col, cond.value.left, cond.value.right)
		right, err := c.term(cond.value, col, true)
		if right == "NULL" && cond.op == "=" {
			return quoteName(col.name) + " IS NULL", err
		}
		if right == "NULL" && cond.op == "<>" {
			return quoteName(col.name) + " IS NOT NULL", err
		}
		return quoteName(col.name) + " " + cond.op + " " + right, err
	case isNull:
		col, err := c.t.column(c.of, cond.column)
		if err != nil {
			return "", err
		}
		return quoteName(col.name) + " IS" + not(cond.not) + " NULL", nil
	case like:
		return c.like(cond)
	case oneOf:
		col, values, err := c.values(cond.column, cond.values...)
		if err != nil {
			return "", err
		}
		return col + not(cond.not) + " IN (" + strings.Join(values, ", ") + ")", nil
	case between:
		col, values, err := c.values(cond.column, cond.from, cond.to)
		if err != nil {
			return "", err
		}
		return col + not(cond.not) + " BETWEEN " + values[0] + " AND " + values[1], nil
	}
	return "", plainError("There is a condition that cannot be written as SQL.")
}

// values writes a column and values for it.
func (c compiler) values(name string, values ...value) (col string, out []string, err error) {
	of, err := c.t.column(c.of, name)
	if err != nil {
		return "", nil, err
	}
	c.compared(of, values...)
	out = make([]string, len(values))
	for i, v := range values {
		if out[i], err = v.literal(of, true); err != nil {
			return "", nil, err
		}
	}
	return quoteName(of.name), out, nil
}

func not(yes bool) string {
	if yes {
		return " NOT"
	}
	return ""
}

func (c compiler) like(cond like) (string, error) {
	col, err := c.t.column(c.of, cond.column)
	if err != nil {
		return "", err
	}
	pattern, escape := cond.text.text, ""
	if !cond.pattern {
		escaped := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(pattern)
		if escaped != pattern {
			pattern, escape = escaped, ` ESCAPE '\'`
		}
	}
	return quoteName(col.name) + not(cond.not) + " LIKE " + quoteText(cond.before+pattern+cond.after) + escape, nil
}

// term writes a term whose value is for the column of. A bare word that is a
// column's name is the column.
func (c compiler) term(t term, of *column, lax bool) (string, error) {
	operand := func(v value) (string, error) {
		if v.kind == wordValue {
			if other := c.of.column(v.text); other != nil {
				return quoteName(other.name), nil
			}
		}
		return v.literal(of, lax)
	}
	left, err := operand(t.left)
	if err != nil || t.op == "" {
		return left, err
	}
	right, err := operand(t.right)
	return left + " " + t.op + " " + right, err
}

// columnDefinition writes a column for CREATE TABLE and ALTER TABLE.
func (t *turn) columnDefinition(spec columnSpec, self *table) (string, error) {
	var sql strings.Builder
	typ := spec.typ
	var ref string
	if spec.refTable != "" {
		other := self
		if self == nil || !strings.EqualFold(self.name, spec.refTable) {
			var err error
			if other, err = t.table(spec.refTable); err != nil {
				return "", err
			}
		}
		key := other.key()
		if spec.refCol != "" {
			col, err := t.column(other, spec.refCol)
			if err != nil {
				return "", err
			}
			key = col.name
		}
		ref = " REFERENCES " + quoteName(other.name) + " (" + quoteName(key) + ")"
		if spec.onDelete != "" {
			ref += " ON DELETE " + spec.onDelete
		}
		if typ == "" {
			typ = "INTEGER"
		}
	}
	if typ == "" {
		typ = "TEXT"
	}
	sql.WriteString(quoteName(spec.name) + " " + typ)
	if spec.key {
		sql.WriteString(" PRIMARY KEY")
	}
	if spec.required {
		sql.WriteString(" NOT NULL")
	}
	if spec.unique && !spec.key {
		sql.WriteString(" UNIQUE")
	}
	if spec.fallback != nil {
		literal, err := spec.fallback.literal(&column{name: spec.name, typ: typ}, false)
		if err != nil {
			return "", err
		}
		if strings.HasSuffix(literal, ")") {
			literal = "(" + literal + ")"
		}
		sql.WriteString(" DEFAULT " + literal)
	}
	if typ == "BOOLEAN" {
		sql.WriteString(" CHECK (" + quoteName(spec.name) + " IN (0, 1))")
	}
	return sql.String() + ref, nil
}
