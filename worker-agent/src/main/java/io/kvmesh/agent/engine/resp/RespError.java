package io.kvmesh.agent.engine.resp;

/** A request that is answered by an error; the connection lives on. */
final class RespError extends Exception {

  private static final long serialVersionUID = 1L;

  private final boolean counted;

  private RespError(String reply, boolean counted) {
    super(reply, null, false, false);
    this.counted = counted;
  }

  /** One that begins with the word that Redis has for it. */
  static RespError of(String word, String what) {
    return new RespError(word + " " + what, false);
  }

  /** As above, one that is counted already. */
  static RespError counted(String word, String what) {
    return new RespError(word + " " + what, true);
  }

  /** Any that Redis has no other word for. */
  static RespError of(String what) {
    return of("ERR", what);
  }

  static RespError wrongNumber(RespCommand command) {
    return of("wrong number of arguments for '%s' command".formatted(command.text()));
  }

  boolean isCounted() {
    return counted;
  }

  /** The reply, without its dash. */
  String reply() {
    return String.valueOf(getMessage());
  }
}
