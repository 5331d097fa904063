package ui

import "copydesk/ui/keys"

// Configure changes the settings while the desk runs. It may be called from any
// goroutine; it takes effect with the next frame.
func (a *App) Configure(s Settings) {
	a.post(func() {
		a.tv.EnableMouse(s.Mouse && a.plain == nil)
		a.Settings = s
		a.panel.SetTheme(s.Theme)
		a.panel.SetEndKey(s.Keys.Label(keys.ScrollEnd))
		a.field.SetTheme(s.Theme)
		a.completions.SetTheme(s.Theme)
		a.status.theme = s.Theme
		for a.stack.Top() != nil {
			a.stack.Remove(a.stack.Top())
		}
		a.leader, a.popup = nil, nil
		a.renewRequest()
	})
}
