package town

import (
	"fmt"
	"strings"

	"sgip.example/starter/game"
)

// drawLandmark sets a small picture on the map, its foot at the landmark's spot.
func drawLandmark(b *strings.Builder, l game.Landmark) {
	picture := landmarkPicture(l.Picture)
	if picture == "" {
		return
	}
	size := l.Size
	if size == 0 {
		size = 40
	}
	fmt.Fprintf(b, `<g class="m-landmark" transform="translate(%d %d) scale(%.3g)"><title>%s</title><ellipse class="l-shade" cx="2" cy="0" rx="19" ry="4"/>%s</g>`,
		l.At.X(), l.At.Y(), float64(size)/40, esc(l.Name), picture)
}

// landmarkPicture is a picture of 40 units across that stands on (0, 0). Its
// classes are filled from the town's colours: a wall, b roof, c accent, d dark,
// e light, f leaves, and lines in ink.
func landmarkPicture(name string) string {
	switch name {
	case "bridge":
		return `<path class="l-a" d="M-15-26h4v26h-4zM11-26h4v26h-4z"/><path class="l-b" d="M-20-9h40v4h-40z"/><path class="l-line" d="M-20-14Q-16-24-13-26Q0-4 13-26Q16-24 20-14M-8-15v7M-4-12v4M0-10v2M4-12v4M8-15v7"/>`
	case "canoe":
		return `<path class="l-c" d="M-18-5Q0 4 18-5Q10 3 0 3T-18-5z"/><path class="l-line" d="M-3-4v-14M-3-18Q8-15 9-6L-3-5"/><path class="l-e" d="M-3-18Q8-15 9-6L-3-5z"/>`
	case "church":
		return `<path class="l-a" d="M-15-14h22v14h-22zM5-26h9v26H5z"/><path class="l-b" d="M-17-14L-4-24L7-14zM4-26L9.500-42L15-26z"/><path class="l-d" d="M-7 0v-6a3 3 0 0 1 6 0v6zM8-20h3v6H8z"/><path class="l-line" d="M9.500-42v-5M7.500-45h4"/>`
	case "column":
		return `<path class="l-a" d="M-10-5h20v5h-20zM-7-9H7v4H-7zM-3.500-34h7v25h-7z"/><path class="l-c" d="M-5-37H5v3H-5zM-2-37q-5-3-7-9q5 2 7 5q0-5 2-7q2 2 2 7q2-3 7-5q-2 6-7 9z"/>`
	case "dome":
		return `<path class="l-a" d="M-18-12h36v12h-36zM-10-18h20v6h-20z"/><path class="l-c" d="M-10-18a10 11 0 0 1 20 0z"/><path class="l-d" d="M-15-8h4v8h-4zM-7-8h4v8h-4zM3-8h4v8H3zM11-8h4v8h-4z"/><path class="l-line" d="M0-29v-7M-4-18q-2-6 4-11M4-18q2-6-4-11"/>`
	case "gate":
		return `<path class="l-a" d="M-20-18h40v5h-40zM-19-13h4v13h-4zM-12-13h4v13h-4zM-5-13h3v13h-3zM2-13h3v13H2zM8-13h4v13H8zM15-13h4v13h-4zM-17-22h34v4h-34z"/><path class="l-c" d="M-8-22q1-6 8-6t8 6zM-5-28q-2-4 2-6l1 3l2-5l2 5l3-2q1 3-2 5z"/>`
	case "mosque":
		return `<path class="l-a" d="M-12-14h24v14h-24zM-18-30h4v30h-4zM14-30h4v30h-4z"/><path class="l-c" d="M-9-14q-1-6 4-10q4-3 5-7q1 4 5 7q5 4 4 10zM-18.500-30q0-4 2.500-7q2.500 3 2.500 7zM13.500-30q0-4 2.500-7q2.500 3 2.500 7z"/><path class="l-d" d="M-3 0v-6q0-3 3-5q3 2 3 5v6z"/><path class="l-line" d="M0-31v-4"/>`
	case "palm":
		return `<path class="l-line" d="M0 0q4-14-1-28"/><path class="l-f" d="M-1-28q-10-6-15 3q7-3 15-3q-10 0-11 9q5-6 11-9q9-7 16 1q-7-2-16-1q9 1 9 10q-4-7-9-10q-2-8 3-10q1 5-3 10z"/>`
	case "skyscraper":
		return `<path class="l-a" d="M-12-30h11v30h-11z"/><path class="l-b" d="M-1-44h13V0H-1z"/><path class="l-c" d="M-1-44L5-50L12-44z"/><path class="l-d" d="M-10-26h2v3h-2zM-6-26h2v3h-2zM-10-20h2v3h-2zM-6-20h2v3h-2zM-10-14h2v3h-2zM-6-14h2v3h-2zM2-40h2v3H2zM7-40h2v3H7zM2-33h2v3H2zM7-33h2v3H7zM2-26h2v3H2zM7-26h2v3H7zM2-19h2v3H2zM7-19h2v3H7zM2-12h2v3H2zM7-12h2v3H7z"/>`
	case "stadium":
		return `<ellipse class="l-a" cx="0" cy="-9" rx="20" ry="10"/><ellipse class="l-d" cx="0" cy="-11" rx="15" ry="6.500"/><ellipse class="l-f" cx="0" cy="-10" rx="12" ry="4.500"/><path class="l-line" d="M-19-11v-10M19-11v-10M-21-21h5M16-21h5M0-14.500v9"/>`
	case "station":
		return `<path class="l-a" d="M-20-16h40v16h-40z"/><path class="l-c" d="M-20-16q20-18 40 0z"/><path class="l-e" d="M-5-20a5 5 0 1 1 10 0a5 5 0 1 1-10 0"/><path class="l-d" d="M-16 0v-9h6v9zM-4 0v-11h8v11zM10 0v-9h6v9z"/><path class="l-line" d="M0-23v3h2"/>`
	case "theatre":
		return `<path class="l-b" d="M-20-20q20-16 40 0l-3 4h-34z"/><path class="l-a" d="M-17-16h34v12h-34z"/><path class="l-e" d="M-20-4h40v4h-40z"/><path class="l-c" d="M-17-16h34v4h-34z"/><path class="l-d" d="M-13-11h4v7h-4zM-5-11h4v7h-4zM3-11h4v7H3zM10-11h4v7h-4z"/>`
	case "tower":
		return `<path class="l-a" d="M-2.500-30L-4 0h8L2.500-30z"/><path class="l-c" d="M-8-35a8 7 0 1 1 16 0a8 7 0 1 1-16 0"/><path class="l-e" d="M-8-36h16v2h-16z"/><path class="l-line" d="M0-42v-18M-1-50h2"/><path class="l-b" d="M-7-4H7v4H-7z"/>`
	case "tree":
		return `<path class="l-line" d="M0 0v-14M0-8l5-4"/><path class="l-f" d="M-13-18a8 8 0 0 1 6-11a9 9 0 0 1 15 1a8 8 0 0 1 5 11a7 7 0 0 1-11 4a9 9 0 0 1-15-5z"/>`
	case "wheel":
		return `<path class="l-line" d="M-9 0L0-22L9 0"/><circle class="l-ring" cx="0" cy="-22" r="17"/><path class="l-line" d="M0-39v34M-17-22h34M-12-34l24 24M12-34l-24 24"/><path class="l-c" d="M-3-42h6v5h-6zM-3-7h6v5h-6zM-20-25h5v6h-5zM15-25h5v6h-5zM-15-37h5v5h-5zM10-37h5v5h-5zM-15-12h5v5h-5zM10-12h5v5h-5z"/>`
	}
	return ""
}
