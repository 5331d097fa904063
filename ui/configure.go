package ui

import "copydesk/ui/keys"

// Configure changes the settings while the desk runs. It may be called from any
// goroutine; it takes effect with the next frame.
func (a *App) Configure(s Settings) {
	a.post(func() {
		a.tv.EnableMouse(s.Mouse && a.plain == nil)
		a.Settings = s
		for _, t := range a.tabs {
			t.panel.SetTheme(s.Theme)
			t.panel.SetEndKey(s.Keys.Label(keys.ScrollEnd))
			t.field.SetTheme(s.Theme)
			t.completions.SetTheme(s.Theme)
		}
		a.status.theme, a.root.bar.theme, a.root.queue.theme = s.Theme, s.Theme, s.Theme
		a.closeModals()
		a.renewRequests()
	})
}
