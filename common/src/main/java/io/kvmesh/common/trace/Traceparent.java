package io.kvmesh.common.trace;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The span that is the parent of what another program does for it, as W3C Trace Context writes it:
 * {@code 00-<trace id, 32 hex digits>-<span id, 16 hex digits>-<flags, 2 hex digits>}. Immutable.
 *
 * @param traceId 32 lower-case hex digits, not all zero
 * @param spanId 16 lower-case hex digits, not all zero
 * @param sampled whether its spans are kept, so that those of its children are kept too
 */
public record Traceparent(String traceId, String spanId, boolean sampled) {

  /** Of the text: what is longer is no traceparent. */
  public static final int LENGTH = 55;

  private static final int SAMPLED = 1;

  /** Later versions begin as version 0 does; version ff isn't allowed, nor are ids of zeros. */
  private static final Pattern FORM =
      Pattern.compile(
          "(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})");

  /**
   * Reads one.
   *
   * @param text as it came; null = there is none
   * @param ifBad is told of a text that is no traceparent, which is then as good as none
   */
  public static @Nullable Traceparent parse(@Nullable String text, Runnable ifBad) {
    if (text == null) {
      return null;
    }
    if (text.length() == LENGTH) {
      Matcher parts = FORM.matcher(text);
      if (parts.matches()) {
        int flags = Integer.parseInt(parts.group(3), 16);
        return new Traceparent(parts.group(1), parts.group(2), (flags & SAMPLED) != 0);
      }
    }
    ifBad.run();
    return null;
  }

  /** As it is sent. */
  @Override
  public String toString() {
    return "00-" + traceId + "-" + spanId + (sampled ? "-01" : "-00");
  }
}
