package io.kvmesh.controller.index.redis;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Why a Redis that answers takes nothing: the first word of its error, and what an operator can do
 * about it. Redis names these words in its documentation of each command and of replication.
 */
enum RedisRefusal {
  READONLY("it is a replica: give the address of the primary, or promote it"),
  OOM("its memory is full: raise its maxmemory, or drop what else it holds"),
  MISCONF("it can't save to its disk: see its log"),
  WRONGPASS("it doesn't know this user and password: see spring.data.redis.username and .password"),
  NOAUTH("it wants a password: see spring.data.redis.password"),
  NOPERM("this user may not do that: see the ACL in the chart's README"),
  LOADING("it is reading its data from disk: this ends by itself"),
  BUSY("it is held up by another program's script: see its SCRIPT KILL"),
  MASTERDOWN("it is a replica that has lost its primary: give the address of the primary"),
  CLUSTERDOWN("its cluster has slots without a primary: see CLUSTER INFO"),
  NOREPLICAS("it has fewer replicas than its min-replicas-to-write"),
  WRONGTYPE("another program has written over keys of this one: they are removed");

  private static final int MAX_CAUSES = 8;

  private final String advice;
  private final Pattern word;

  RedisRefusal(String advice) {
    this.advice = advice;
    // In a script's error the word comes after the place in the script.
    this.word = Pattern.compile("(?:^|[\\s-])" + name() + "(?:\\s|$)");
  }

  /** What can be done. */
  String advice() {
    return advice;
  }

  /** What Redis has said, if any of the causes is an answer of its. */
  static Optional<RedisRefusal> of(@Nullable Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      String text = cause.getMessage();
      Optional<RedisRefusal> found = text == null ? Optional.empty() : named(text);
      if (found.isPresent()) {
        return found;
      }
      cause = cause.getCause();
    }
    return Optional.empty();
  }

  private static Optional<RedisRefusal> named(String text) {
    return Arrays.stream(values()).filter(refusal -> refusal.word.matcher(text).find()).findFirst();
  }
}
