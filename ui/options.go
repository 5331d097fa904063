package ui

import (
	"fmt"
	"slices"
	"strings"

	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/dialog"
)

// setOption sets an option of the pane's agent: one of a category, or one that
// the user picks where there are several or the category is empty. Without a
// value the user picks that, too.
func (a *App) setOption(category, value string) {
	p := a.pane
	options := p.Options()
	if category != "" {
		options = slices.DeleteFunc(slices.Clone(options), func(o session.Option) bool { return o.Category != category })
	}
	switch {
	case len(options) == 0 && category == "":
		p.Note(a.agent()+" has no options to set.", false)
	case len(options) == 0:
		p.Note(fmt.Sprintf("%s has no %s to choose.", a.agent(), category), false)
	case value != "":
		a.setValue(p, options, category, value)
	case len(options) == 1:
		a.pickValue(p, options[0])
	default:
		a.pickOption(p, options)
	}
}

// setValue sets the first of the options that has the value, which is given as
// it is written, or by its name.
func (a *App) setValue(p Pane, options []session.Option, category, value string) {
	for _, o := range options {
		if v, ok := named(o, value); ok {
			p.SetOption(o.ID, v.Value)
			return
		}
	}
	var names []string
	for _, o := range options {
		for _, v := range o.Values {
			names = append(names, label(v))
		}
	}
	const most = 12
	if n := len(names); n > most {
		names = append(names[:most], fmt.Sprintf("%d more", n-most))
	}
	p.Note(fmt.Sprintf("%s has no %s called %q. There is: %s.", a.agent(), category, value, strings.Join(names, ", ")), true)
}

// named finds a value by what it is, or by its name in either case.
func named(o session.Option, value string) (session.OptionValue, bool) {
	for _, same := range []func(v session.OptionValue) bool{
		func(v session.OptionValue) bool { return v.Value == value },
		func(v session.OptionValue) bool { return strings.EqualFold(v.Name, value) },
		func(v session.OptionValue) bool { return strings.EqualFold(v.Value, value) },
	} {
		if i := slices.IndexFunc(o.Values, same); i >= 0 {
			return o.Values[i], true
		}
	}
	return session.OptionValue{}, false
}

// label is what a value is called.
func label(v session.OptionValue) string {
	if v.Name != "" {
		return text.CleanLine(v.Name)
	}
	return text.CleanLine(v.Value)
}

// pickOption lists the options, each with the value that is in force.
func (a *App) pickOption(p Pane, options []session.Option) {
	items := make([]dialog.Item, len(options))
	for i, o := range options {
		what := ""
		if v, ok := named(o, o.Value); ok {
			what = label(v)
		}
		if o.Summary != "" {
			what = strings.TrimPrefix(what+": "+o.Summary, ": ")
		}
		items[i] = dialog.Item{Name: o.Name, Text: what}
	}
	a.list("Options of "+a.agent(), items, func(i int) { a.pickValue(p, options[i]) })
}

// pickValue lists the values of an option, under their headings.
func (a *App) pickValue(p Pane, o session.Option) {
	var items []dialog.Item
	var at []int // of the option's values; of a heading none
	group := ""
	for i, v := range o.Values {
		if v.Group != group {
			group = v.Group
			items, at = append(items, dialog.Heading(group)), append(at, -1)
		}
		items = append(items, dialog.Item{Name: label(v), Text: v.Summary, Mark: v.Value == o.Value})
		at = append(at, i)
	}
	a.list(o.Name, items, func(i int) { p.SetOption(o.ID, o.Values[at[i]].Value) })
}

// list shows a list that closes when something of it was taken.
func (a *App) list(title string, items []dialog.Item, pick func(int)) {
	var l *dialog.List
	l = dialog.NewList(title, items, dialog.ListDeps{
		Theme: a.Theme, Keys: a.Keys,
		Close: func() { a.stack.Remove(l) },
		Pick:  func(i int) { a.stack.Remove(l); pick(i) },
	})
	a.push(l)
}
