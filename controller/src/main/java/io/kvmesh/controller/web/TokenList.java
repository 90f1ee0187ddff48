package io.kvmesh.controller.web;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tokens that a request names, checked. */
public final class TokenList {

  private static final String RULE = "must be a whole number, at least 0 and at most 2^63-1";

  private TokenList() {}

  /** The tokens; they must be given, at least one and at most so many. */
  public static List<Long> required(@Nullable List<@Nullable Long> tokens, int limit) {
    return checked(given(tokens), limit);
  }

  /** The same as an array. */
  public static long[] requiredPrompt(@Nullable List<@Nullable Long> tokens, int limit) {
    return prompt(given(tokens), limit);
  }

  private static List<@Nullable Long> given(@Nullable List<@Nullable Long> tokens) {
    if (tokens == null) {
      throw Problems.badRequest("tokens", null, "must be given");
    }
    return tokens;
  }

  /** The tokens if there are any in the request; null if it doesn't name them. */
  public static @Nullable List<Long> optional(@Nullable List<@Nullable Long> tokens, int limit) {
    return tokens == null ? null : checked(tokens, limit);
  }

  private static List<Long> checked(List<@Nullable Long> tokens, int limit) {
    return Arrays.stream(prompt(tokens, limit)).boxed().toList();
  }

  /** The tokens as an array: at least one and at most so many. */
  static long[] prompt(List<@Nullable Long> tokens, long limit) {
    if (tokens.isEmpty()) {
      throw Problems.badRequest("tokens", "[]", "must name at least one token");
    }
    if (tokens.size() > limit) {
      throw Problems.tooLarge("tokens", tokens.size(), limit);
    }
    long[] prompt = new long[tokens.size()];
    int index = 0;
    for (Long token : tokens) {
      if (token == null || token < 0) {
        throw Problems.badRequest("tokens[" + index + "]", token, RULE);
      }
      prompt[index] = token;
      index++;
    }
    return prompt;
  }
}
