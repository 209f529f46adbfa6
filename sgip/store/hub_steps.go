package store

import "sgip.example/starter/sgip/storage"

// hubSteps are the numbered migrations of the room hub.
func hubSteps() []storage.Migration { return nil }
