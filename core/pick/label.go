package pick

// letters are what labels are made of, those under the resting fingers first.
const letters = "asdfghjklqwertyuiopzxcvbnm"

// Labels returns n different labels, the easiest to type first: one letter each
// as long as there are enough, else two. There are at most 676.
func Labels(n int) []string {
	n = min(n, len(letters)*len(letters))
	out := make([]string, 0, n)
	for i := range n {
		if n <= len(letters) {
			out = append(out, letters[i:i+1])
			continue
		}
		out = append(out, letters[i/len(letters):i/len(letters)+1]+letters[i%len(letters):i%len(letters)+1])
	}
	return out
}
