package io.kvmesh.controller.web;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tokens that a request names, checked. */
public final class TokenList {

  private static final String RULE = "must be a whole number from 0 to 2^63-1";

  private TokenList() {}

  /** The tokens; they must be given, at least one and at most so many. */
  public static List<Long> required(@Nullable List<@Nullable Long> tokens, int limit) {
    if (tokens == null) {
      throw Problems.badRequest("tokens", null, "must be given");
    }
    return checked(tokens, limit);
  }

  /** The tokens if there are any in the request; null if it doesn't name them. */
  public static @Nullable List<Long> optional(@Nullable List<@Nullable Long> tokens, int limit) {
    return tokens == null ? null : checked(tokens, limit);
  }

  private static List<Long> checked(List<@Nullable Long> tokens, int limit) {
    if (tokens.isEmpty()) {
      throw Problems.badRequest("tokens", "[]", "must name at least one token");
    }
    if (tokens.size() > limit) {
      throw Problems.tooLarge("tokens", tokens.size(), limit);
    }
    long[] checked = new long[tokens.size()];
    int index = 0;
    for (Long token : tokens) {
      if (token == null || token < 0) {
        throw Problems.badRequest("tokens[" + index + "]", token, RULE);
      }
      checked[index] = token;
      index++;
    }
    return Arrays.stream(checked).boxed().toList();
  }

  /** As an array. */
  public static long[] array(List<Long> tokens) {
    return tokens.stream().mapToLong(Long::longValue).toArray();
  }
}
