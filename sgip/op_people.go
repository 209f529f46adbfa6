package sgip

// PlayerQuery is the payload of player.lookup@1 and player.profile@1.
type PlayerQuery struct {
	Player string `json:"player"`
}

// PlayerCard answers player.lookup@1.
type PlayerCard struct {
	Player string `json:"player"`
	Name   string `json:"name"`
	Avatar string `json:"avatar,omitempty"`
}

// Limits of text, in code points.
const (
	MaxMessage     = 1000
	MaxDescription = 140
	MaxName        = 60
	MaxAvatar      = 8
	MaxPostcard    = 280
)

// MessagePayload is the payload of message.send@1.
type MessagePayload struct {
	Text string `json:"text"`
}

// MessageResult answers it.
type MessageResult struct {
	Delivered bool `json:"delivered"`
}
