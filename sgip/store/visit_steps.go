package store

import "sgip.example/starter/sgip/storage"

// visitSteps are the numbered migrations of the room visit.
func visitSteps() []storage.Migration { return nil }
