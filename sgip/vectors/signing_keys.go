package vectors

import (
	"strings"

	"sgip.example/starter/sgip"
)

func keysToRefuse() []badKey {
	refuse := func(name, description, text string) badKey {
		return badKey{name, description, text, string(sgip.InvalidPayload)}
	}
	return []badKey{
		refuse("order_1", "the neutral point", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
		refuse("order_2", "the point of order 2", "7P///////////////////////////////////////38="),
		refuse("order_4", "a point of order 4", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
		refuse("order_4_other", "the other point of order 4", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA="),
		refuse("order_8_first", "a point of order 8", "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU="),
		refuse("order_8_second", "a point of order 8", "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/IU="),
		refuse("order_8_third", "a point of order 8", "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o="),
		refuse("order_8_fourth", "a point of order 8", "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o="),
		refuse("order_1_sign", "the neutral point with a sign that it can't have", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA="),
		refuse("order_2_sign", "the point of order 2 with a sign that it can't have", "7P////////////////////////////////////////8="),
		refuse("order_1_over", "the neutral point, y written as p + 1", "7v///////////////////////////////////////38="),
		refuse("order_4_over", "a point of order 4, y written as p", "7f///////////////////////////////////////38="),
		refuse("order_4_over_sign", "the other point of order 4, y written as p", "7f////////////////////////////////////////8="),
		refuse("large_order_over", "a point of large order, y written as p + 3", "8P///////////////////////////////////////38="),
		refuse("off_the_curve", "y = 2 has no x", "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
	}
}

func keyTextsToRefuse(good string) []badKey {
	refuse := func(name, description, text string) badKey {
		return badKey{name, description, text, string(sgip.InvalidPayload)}
	}
	return []badKey{
		refuse("unpadded", "base64 has its padding", strings.TrimRight(good, "=")),
		refuse("newline", "base64 has no line breaks", good+"\n"),
		refuse("stray_bits", "the unused bits of the last character are zero", strayBits(good)),
		refuse("url_alphabet", "base64 is of the standard alphabet", strings.Repeat("_", 42)+"8="),
		refuse("short", "31 bytes", standard(make([]byte, 31))),
		refuse("long", "33 bytes", standard(make([]byte, 33))),
		refuse("hex", "base64, not hex", strings.Repeat("00", 32)),
		refuse("empty", "nothing", ""),
	}
}
