package io.kvmesh.common.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceparentTest {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  private final AtomicInteger bad = new AtomicInteger();

  private @Nullable Traceparent parse(@Nullable String text) {
    return Traceparent.parse(text, bad::incrementAndGet);
  }

  @Test
  void parse_ofAGoodOne_hasItsPartsAndIsWrittenAlike() {
    String text = "00-" + TRACE + "-" + SPAN + "-01";

    assertThat(parse(text)).isEqualTo(new Traceparent(TRACE, SPAN, true)).hasToString(text);
    assertThat(bad).hasValue(0);
  }

  @Test
  void parse_withOtherFlagsOrALaterVersion_knowsWhetherItIsSampled() {
    assertThat(parse("00-" + TRACE + "-" + SPAN + "-02"))
        .isEqualTo(new Traceparent(TRACE, SPAN, false))
        .hasToString("00-" + TRACE + "-" + SPAN + "-00");
    assertThat(parse("cc-" + TRACE + "-" + SPAN + "-03"))
        .isEqualTo(new Traceparent(TRACE, SPAN, true));
    assertThat(bad).hasValue(0);
  }

  @Test
  void parse_ofNone_isNoneAndNotBad() {
    assertThat(parse(null)).isNull();
    assertThat(bad).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later",
        "00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01",
        "00-0af7651916cd43dd8448eb211c80319-cb7ad6b7169203331-01"
      })
  void parse_ofAnythingElse_isNoneAndCounted(String text) {
    assertThat(parse(text)).isNull();
    assertThat(bad).hasValue(1);
  }
}
