package sgip

// ProfileCard answers player.profile@1: what the card of player.lookup@1 holds,
// and more about a player whom anyone may find. District is where the player
// lives, never an address (section 9).
type ProfileCard struct {
	Player       string         `json:"player"`
	Name         string         `json:"name"`
	Avatar       string         `json:"avatar,omitempty"`
	Bio          string         `json:"bio,omitempty"`
	District     string         `json:"district,omitempty"`
	Stats        map[string]int `json:"stats,omitempty"`
	Relationship string         `json:"relationship,omitempty"` // of the asker, to the player
}
