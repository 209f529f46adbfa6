package town

// placeIcon is the drawing in icons.svg for a shared kind of place, "pin" for
// one that has none of its own.
func placeIcon(kind string) string {
	switch kind {
	case "home", "apartment":
		return "house"
	case "hotel", "hostel":
		return "bed"
	case "restaurant", "fast_food", "street_food", "food_court":
		return "food"
	case "cafe", "bakery", "ice_cream_parlour":
		return "cup"
	case "bar", "pub", "beer_garden", "nightclub":
		return "glass"
	case "market", "flea_market", "supermarket", "convenience_store", "kiosk":
		return "basket"
	case "shop", "mall", "clothes_shop", "book_shop", "electronics_shop", "tailor":
		return "bag"
	case "park", "garden", "playground", "forest", "zoo":
		return "tree"
	case "beach", "lake", "river", "swimming_pool":
		return "wave"
	case "sauna":
		return "hygiene"
	case "sports_centre", "stadium", "sports_pitch":
		return "ball"
	case "gym":
		return "fitness"
	case "museum", "gallery", "courthouse", "town_hall":
		return "culture"
	case "theatre", "cinema", "music_venue", "event_hall":
		return "note"
	}
	return placeIconMore(kind)
}

func placeIconMore(kind string) string {
	switch kind {
	case "landmark", "monument", "viewpoint":
		return "camera"
	case "place_of_worship", "church", "mosque":
		return "faith"
	case "office", "coworking_space":
		return "case"
	case "bank":
		return "coin"
	case "school", "university", "library":
		return "book"
	case "hospital", "clinic", "pharmacy":
		return "cross"
	case "workshop", "factory":
		return "tool"
	case "hairdresser":
		return "scissors"
	case "toilet":
		return "door"
	case "square", "street", "community_centre":
		return "square"
	case "bus_stop", "bus_station", "motor_park", "taxi_rank":
		return "bus"
	case "train_station", "subway_station":
		return "train"
	case "ferry_terminal":
		return "boat"
	case "airport":
		return "plane"
	}
	return "pin"
}

// modeIcon is the drawing for a shared way to travel.
func modeIcon(mode string) string {
	switch mode {
	case "walk", "wheelchair":
		return "walk"
	case "bicycle", "cargo_bike", "kick_scooter":
		return "bike"
	case "motorcycle", "motorbike_taxi", "okada":
		return "moto"
	case "car", "taxi", "shared_taxi", "tricycle_taxi", "keke":
		return "taxi"
	case "train", "commuter_train", "subway", "tram", "light_rail", "cable_car":
		return "train"
	case "ferry", "water_taxi", "boat":
		return "boat"
	case "plane":
		return "plane"
	}
	return "bus"
}

// verbIcon is the drawing for what an activity does.
func verbIcon(verb string) string {
	switch verb {
	case "eat", "snack", "cook":
		return "hunger"
	case "drink":
		return "cup"
	case "sleep", "nap", "rest":
		return "bed"
	case "sunbathe", "swim", "fish":
		return "wave"
	case "meditate", "pray":
		return "faith"
	case "wash", "groom", "clean":
		return "hygiene"
	case "use_toilet":
		return "door"
	case "dress", "shop", "buy", "haggle":
		return "bag"
	case "work", "farm", "deliver":
		return "case"
	case "sell":
		return "basket"
	case "pay":
		return "coin"
	case "study", "read", "write", "teach":
		return "book"
	}
	return verbIconMore(verb)
}

func verbIconMore(verb string) string {
	switch verb {
	case "chat", "greet", "call", "argue", "apologise", "protest":
		return "chat"
	case "meet", "celebrate", "give", "help", "hug", "flirt":
		return "social"
	case "dance":
		return "dance"
	case "sing", "play_music", "listen", "perform":
		return "note"
	case "play_sport", "play_football", "play_game":
		return "ball"
	case "exercise", "climb":
		return "fitness"
	case "walk", "hike", "run", "explore", "visit":
		return "walk"
	case "ride", "cycle":
		return "bike"
	case "drive":
		return "taxi"
	case "photograph", "watch":
		return "camera"
	case "draw", "craft", "build", "repair":
		return "tool"
	case "tend_garden":
		return "tree"
	case "see_doctor":
		return "cross"
	case "vote":
		return "culture"
	case "wait":
		return "clock"
	}
	return "fun"
}

// statWord is a stat as people call it, and its drawing: the ids' own.
func statWord(id string) string {
	switch id {
	case "hunger":
		return "Fed"
	case "energy":
		return "Energy"
	case "bladder":
		return "Ease"
	case "hygiene":
		return "Clean"
	case "fun":
		return "Fun"
	case "social":
		return "Company"
	case "health":
		return "Health"
	case "mood":
		return "Mood"
	}
	return id
}
