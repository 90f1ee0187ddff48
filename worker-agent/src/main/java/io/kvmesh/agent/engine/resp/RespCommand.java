package io.kvmesh.agent.engine.resp;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a client may ask for. */
enum RespCommand {
  GET(1, 1, true, "readonly fast"),
  SET(2, Integer.MAX_VALUE, true, "write denyoom"),
  EXISTS(1, Integer.MAX_VALUE, true, "readonly fast"),
  DEL(1, Integer.MAX_VALUE, true, "write"),
  MGET(1, Integer.MAX_VALUE, true, "readonly fast"),
  STRLEN(1, 1, true, "readonly fast"),
  PING(0, 1, false, "fast"),
  ECHO(1, 1, false, "fast"),
  AUTH(1, 2, false, "noauth fast"),
  HELLO(0, Integer.MAX_VALUE, false, "noauth fast"),
  SELECT(1, 1, false, "fast"),
  CLIENT(1, Integer.MAX_VALUE, false, "noscript"),
  COMMAND(0, Integer.MAX_VALUE, false, "loading"),
  INFO(0, Integer.MAX_VALUE, false, "loading"),
  DBSIZE(0, 0, false, "readonly fast"),
  QUIT(0, Integer.MAX_VALUE, false, "noauth fast");

  private static final Map<String, RespCommand> BY_TEXT =
      Stream.of(values()).collect(Collectors.toMap(RespCommand::text, Function.identity()));

  private final int fewest;
  private final int most;
  private final boolean keyed;

  /** Separated by blanks. */
  private final String flags;

  RespCommand(int fewest, int most, boolean keyed, String flags) {
    this.fewest = fewest;
    this.most = most;
    this.keyed = keyed;
    this.flags = flags;
  }

  /** In any case of letters. */
  static Optional<RespCommand> of(String text) {
    return Optional.ofNullable(BY_TEXT.get(text.toLowerCase(Locale.ROOT)));
  }

  /** Its name as Redis tells it. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether so many arguments may follow its name. */
  boolean takes(int arguments) {
    return arguments >= fewest && arguments <= most;
  }

  /** As Redis counts: with the name, and negative where there may be more. */
  int arity() {
    return fewest == most ? fewest + 1 : -(fewest + 1);
  }

  /** Whether its first argument is a key. */
  boolean isKeyed() {
    return keyed;
  }

  /** Whether each argument is a key. */
  boolean isKeyedThroughout() {
    return keyed && most == Integer.MAX_VALUE && this != SET;
  }

  /** Whether a client may ask for it before it has said who it is. */
  boolean isForAnybody() {
    return flags.startsWith("noauth");
  }

  /** As Redis tells them. */
  List<String> flags() {
    return List.of(flags.split(" "));
  }
}
