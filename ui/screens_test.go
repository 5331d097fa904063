package ui

import (
	"testing"

	"copydesk/ui/theme"
)

var smallSizes = [][2]int{{80, 24}, {40, 10}}

func TestPAN5_FindScreens(t *testing.T) {
	eachLook(smallSizes, func(suffix string, o theme.Options, w, h int) {
		d := drive(t, w, h, echoing("A whale, 鯨, and\nanother **whale** of a longer line that wraps.\n"))
		d.paint(o)
		d.typed("whales\n")
		d.idle()
		d.press("ctrl+x /")
		d.typed("whale")
		d.shows("3 of 3")
		d.screen.Golden(t, "find"+suffix)
	})
}

func TestSES4_RecallScreens(t *testing.T) {
	eachLook(smallSizes, func(suffix string, o theme.Options, w, h int) {
		d := drive(t, w, h, echoing("ok\n"))
		d.paint(o)
		d.typed("show whales\ncount whales\n")
		d.idle()
		d.press("ctrl+r")
		d.typed("wha")
		d.press("ctrl+r")
		d.screen.Golden(t, "recall"+suffix)
	})
}

func TestSES5_QueueScreens(t *testing.T) {
	eachLook(smallSizes, func(suffix string, o theme.Options, w, h int) {
		hold := make(chan struct{})
		defer close(hold)
		d := drive(t, w, h, waitingFor(hold))
		d.paint(o)
		d.typed("begin\none\ntwo\nthree\nfour\nfive\n")
		d.screen.Golden(t, "queue"+suffix)
	})
}
