package game

import (
	"fmt"
	"slices"
	"strings"
)

// The plane on which every town is drawn; the origin is the top left corner.
const (
	MapWidth  = 1000
	MapHeight = 700
)

// DayMinutes is how long a day in town is, in its own minutes.
const DayMinutes = 24 * 60

// World is a town as its folder describes it: what is there, what it costs and
// how it looks. Package worlds reads and judges one, and calls Prepare; after
// that a World is only read.
type World struct {
	Slug             string       `json:"-"` // the folder's name: "lagos"
	Name             string       `json:"name"`
	Description      string       `json:"description"`
	Icon             string       `json:"icon"`     // an emoji
	Language         string       `json:"language"` // BCP 47; how money and lists are written
	Currency         string       `json:"currency"` // ISO 4217 or <label>:<code>
	Decimals         int          `json:"decimals"` // of the currency, for display alone
	MinutesPerSecond int          `json:"minutes_per_second"`
	Palette          Palette      `json:"palette"`
	Pattern          string       `json:"pattern"` // one of Patterns
	Map              Map          `json:"map"`
	Districts        []District   `json:"districts"`
	Places           []Place      `json:"places"`
	Modes            []Mode       `json:"modes"`
	Rent             Rent         `json:"rent"`
	Start            Start        `json:"start"`
	Arrivals         string       `json:"arrivals"` // slug of the place where guests appear
	Farewell         string       `json:"farewell"` // how a postcard from here ends
	Surprises        []Surprise   `json:"surprises"`
	Goals            []GoalRule   `json:"goals"`
	Demo             []DemoPlayer `json:"demo_players"`
	// GuestAllowance is what a guest is given to spend on a visit on which money
	// from home can't be used, in minor units; 0 is none.
	GuestAllowance int64 `json:"guest_allowance"`

	// Words writes an amount of minor units in the town's language, for notes and
	// refusals. Whoever builds the town sets it, before it is used; see Price.
	Words func(amount int64) string `json:"-"`

	places     map[string]*Place
	activities map[string]*Activity
}

// Patterns are the names that a world's pattern may have.
var Patterns = [...]string{"plain", "adire", "tiles"}

// Shade is one colour by day and by night, as "#rrggbb".
type Shade struct {
	Light string `json:"light"`
	Dark  string `json:"dark"`
}

// Palette are a town's colours. Package worlds derives from the accent what a
// world leaves out.
type Palette struct {
	Ground    Shade `json:"ground"`
	Water     Shade `json:"water"`
	Road      Shade `json:"road"`
	Park      Shade `json:"park"`
	Building  Shade `json:"building"`
	Accent    Shade `json:"accent"`
	AccentInk Shade `json:"accent_ink"` // text on the accent
}

// Point is a spot on the map: [x, y].
type Point [2]int

// X grows to the right, 0 to MapWidth.
func (p Point) X() int { return p[0] }

// Y grows downwards, 0 to MapHeight.
func (p Point) Y() int { return p[1] }

// Map is what is drawn under the places. Lists are drawn in their order.
type Map struct {
	Water     []Area     `json:"water"`
	Parks     []Area     `json:"parks"`
	Roads     []Road     `json:"roads"`
	Landmarks []Landmark `json:"landmarks"`
	Blocks    []Block    `json:"-"` // houses, laid out by package worlds
}

// Area is a filled shape with a name, which may be empty. LabelAt is where the
// name stands; the middle of the shape where the file leaves it out.
type Area struct {
	Name    string  `json:"name"`
	Shape   []Point `json:"shape"`
	LabelAt *Point  `json:"label_at"`
}

// Road is a line with a name along it.
type Road struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"` // one of RoadKinds
	Line  []Point `json:"line"`
	Width int     `json:"width"` // 0: by kind
}

// RoadKinds are the kinds of a road: a bridge is drawn over water.
var RoadKinds = [...]string{"avenue", "street", "path", "bridge", "rail"}

// Landmark is a small picture on the map.
type Landmark struct {
	Name    string `json:"name"`
	Picture string `json:"picture"` // one of Pictures
	At      Point  `json:"at"`
	Size    int    `json:"size"` // width on the map; 0 is 40
}

// Pictures are the names of the small pictures a landmark may have.
var Pictures = [...]string{
	"bridge", "canoe", "church", "column", "dome", "gate", "mosque", "palm",
	"skyscraper", "stadium", "station", "theatre", "tower", "tree", "wheel",
}

// Block is a house or a row of houses. Tall ones have windows that light up.
type Block struct {
	X, Y, Width, Height int
	Tall                bool
}

// District is a part of town. Outline may be empty where the map is drawn by hand.
type District struct {
	Slug    string  `json:"slug"`
	Name    string  `json:"name"`
	At      Point   `json:"at"` // where its name stands
	Outline []Point `json:"outline"`
}

// Place is somewhere to be, with what can be done there.
type Place struct {
	Slug       string     `json:"slug"`
	Name       string     `json:"name"`
	About      string     `json:"about"` // one warm line
	Kind       string     `json:"kind"`  // vocabulary: place_kinds
	Icon       string     `json:"icon"`
	At         Point      `json:"at"`
	District   string     `json:"district"`
	Hours      Hours      `json:"hours"`
	Stall      *Stall     `json:"stall"`
	Activities []Activity `json:"activities"`
}

// Stall is a business that a resident can buy; the owner is paid Share percent
// of what is sold there.
type Stall struct {
	Label string `json:"label"`
	Price int64  `json:"price"` // minor units
	Share int    `json:"share"` // 1-100
}

// Activity is something to do at a place.
type Activity struct {
	ID         string         `json:"id"` // unique in town
	Label      string         `json:"label"`
	Verb       string         `json:"verb"` // vocabulary: verbs
	Icon       string         `json:"icon"`
	About      string         `json:"about"` // explains a local word, may be empty
	Minutes    int            `json:"minutes"`
	Price      int64          `json:"price"` // minor units; 0 is free
	Job        *Job           `json:"job"`
	Effects    map[string]int `json:"effects"` // stats
	Hours      Hours          `json:"hours"`   // beside the place's own
	Cooldown   int            `json:"cooldown"`
	Item       string         `json:"item"` // what the buyer keeps
	Refundable bool           `json:"refundable"`
	Residents  bool           `json:"residents"` // not for guests
	Memory     string         `json:"memory"`    // how a postcard tells of it; "" is the label

	Place     string `json:"-"` // slug, set by Prepare
	BuysStall bool   `json:"-"` // buys the place's stall; made by Prepare
}

// Job makes an activity a shift of work. The wage rises with experience.
type Job struct {
	Title string `json:"title"`
	Wage  int64  `json:"wage"` // minor units for the first shifts
}

// Mode is a way to travel within the town. Distances are in map units.
type Mode struct {
	ID       string   `json:"id"` // vocabulary: transport
	Label    string   `json:"label"`
	Icon     string   `json:"icon"`
	Speed    int      `json:"speed"`     // map units a minute
	Wait     int      `json:"wait"`      // minutes before it leaves
	Fare     int64    `json:"fare"`      // minor units for getting on
	FarePer  int64    `json:"fare_per"`  // and for every 100 map units begun
	Stops    []string `json:"stops"`     // the only places it serves; empty is all
	Hours    Hours    `json:"hours"`     // when it runs
	ForGuest bool     `json:"for_guest"` // free ways that guests may use
}

// Rent falls due at midnight. What can't be paid is owed, for MaxDays at most,
// so that a long absence doesn't ruin anyone.
type Rent struct {
	PerDay  int64 `json:"per_day"`
	MaxDays int   `json:"max_days"`
}

// Start is what a new resident begins with.
type Start struct {
	Place string         `json:"place"`
	Money int64          `json:"money"`
	Stats map[string]int `json:"stats"` // 70 where left out
}

// Surprise is what makes one day unlike another. It may lift the stats of those
// who do something with Verb, raise wages, or change a mode's fare; prices of
// goods never move, so what a guest was shown stays true.
type Surprise struct {
	ID      string         `json:"id"`
	Icon    string         `json:"icon"`
	Text    string         `json:"text"`
	Verb    string         `json:"verb"`
	Bonus   map[string]int `json:"bonus"`
	Mode    string         `json:"mode"`
	Fare    int            `json:"fare"`  // percent of the usual fare; 0 is 100
	Wages   int            `json:"wages"` // percent of the usual wage; 0 is 100
	Chances int            `json:"chances"`
}

// GoalRule is something to strive for. Exactly one of Verb, Activity, Balance,
// Stall, Places and Postcards says how it is measured.
type GoalRule struct {
	ID        string `json:"id"`
	Label     string `json:"label"`
	Icon      string `json:"icon"`
	Verb      string `json:"verb"`
	Activity  string `json:"activity"`
	Times     int    `json:"times"`     // of Verb or Activity
	Balance   int64  `json:"balance"`   // to have, in minor units
	Stall     bool   `json:"stall"`     // to own one
	Places    int    `json:"places"`    // to have done something at
	Postcards int    `json:"postcards"` // to have brought home
}

// DemoPlayer is a resident whom everyone in local mode may play.
type DemoPlayer struct {
	Handle string `json:"handle"`
	Name   string `json:"name"`
	Avatar string `json:"avatar"`
	Place  string `json:"place"`
	Money  int64  `json:"money"`
	Stall  string `json:"stall"` // slug of the place whose stall they own
}

// Place finds a place by slug, nil if there is none.
func (w *World) Place(slug string) *Place { return w.places[slug] }

// Activity finds an activity by id, nil if there is none.
func (w *World) Activity(id string) *Activity { return w.activities[id] }

// Mode finds a way to travel, nil if there is none.
func (w *World) Mode(id string) *Mode {
	for i := range w.Modes {
		if w.Modes[i].ID == id {
			return &w.Modes[i]
		}
	}
	return nil
}

// StallActivity is the id of the activity that buys the stall at a place.
func StallActivity(place string) string { return "stall-" + place }

// Prepare fills in what follows from the rest and builds the look-ups. It must
// be called once, before the world is used.
func (w *World) Prepare() {
	w.places = make(map[string]*Place, len(w.Places))
	w.activities = map[string]*Activity{}
	for i := range w.Places {
		p := &w.Places[i]
		w.places[p.Slug] = p
		if p.Stall != nil && !slices.ContainsFunc(p.Activities, func(a Activity) bool { return a.BuysStall }) {
			p.Activities = append(p.Activities, stallActivity(p))
		}
		for j := range p.Activities {
			a := &p.Activities[j]
			a.Place = p.Slug
			w.activities[a.ID] = a
		}
	}
}

func stallActivity(p *Place) Activity {
	return Activity{
		ID: StallActivity(p.Slug), Label: "Buy " + p.Stall.Label, Verb: "buy", Icon: "🔑",
		About:   fmt.Sprintf("You get %d %% of everything sold here.", p.Stall.Share),
		Minutes: 10, Price: p.Stall.Price, Residents: true, BuysStall: true,
		Effects: map[string]int{"mood": 10},
	}
}

// Hours are the spans of a day in which something is open. None means always.
type Hours []Span

// Span runs from From up to, but not including, To, in minutes of the day. One
// whose To is before its From runs across midnight.
type Span struct{ From, To int }

// Open reports whether minute of the day lies within the hours.
func (h Hours) Open(minute int) bool {
	if len(h) == 0 {
		return true
	}
	return slices.ContainsFunc(h, func(s Span) bool {
		if s.From < s.To {
			return s.From <= minute && minute < s.To
		}
		return minute >= s.From || minute < s.To
	})
}

// NextOpen is the minute of the day at which the hours next begin after minute.
func (h Hours) NextOpen(minute int) int {
	best, wait := minute, DayMinutes+1
	for _, s := range h {
		if w := ((s.From-minute)%DayMinutes + DayMinutes) % DayMinutes; w < wait {
			best, wait = s.From, w
		}
	}
	return best
}

// String writes the hours as a world file does; "" is always.
func (h Hours) String() string {
	spans := make([]string, len(h))
	for i, s := range h {
		spans[i] = ClockText(s.From) + "-" + ClockText(s.To)
	}
	return strings.Join(spans, ", ")
}

// UnmarshalText reads "07:00-11:00, 18:00-02:00". A day ends at 24:00.
func (h *Hours) UnmarshalText(text []byte) error {
	*h = nil
	for part := range strings.SplitSeq(string(text), ",") {
		from, to, ok := strings.Cut(strings.TrimSpace(part), "-")
		f, okFrom := parseClock(from)
		t, okTo := parseClock(to)
		if !ok || !okFrom || !okTo {
			return fmt.Errorf("%q is not like 07:00-22:00", part)
		}
		if f == t || f == DayMinutes {
			return fmt.Errorf("%q never opens", part)
		}
		*h = append(*h, Span{f, t})
	}
	return nil
}

// ClockText writes a minute of the day as 07:05.
func ClockText(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

func parseClock(s string) (int, bool) {
	if len(s) != 5 || s[2] != ':' {
		return 0, false
	}
	for _, i := range []int{0, 1, 3, 4} {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	hour, minute := int(s[0]-'0')*10+int(s[1]-'0'), int(s[3]-'0')*10+int(s[4]-'0')
	total := hour*60 + minute
	return total, minute < 60 && total <= DayMinutes
}
