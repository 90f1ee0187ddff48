package io.kvmesh.common.key;

/** A worker of the fleet, written {@code instance/rank}. */
public record WorkerId(String instanceId, int rank) {

  private static final int MAX_INSTANCE_CHARS = 200;

  /** Checks that the id can be written. */
  public WorkerId {
    if (instanceId.isEmpty() || instanceId.length() > MAX_INSTANCE_CHARS) {
      throw KeyFormatException.of(
          instanceId, "an instance id has 1 to " + MAX_INSTANCE_CHARS + " characters");
    }
    if (instanceId.chars().anyMatch(c -> c == '/' || Character.isISOControl(c))) {
      throw KeyFormatException.of(instanceId, "an instance id has no '/' and no control character");
    }
    if (rank < 0) {
      throw new KeyFormatException("A rank is at least 0, got " + rank);
    }
  }

  /**
   * Reads {@code instance/rank}.
   *
   * @throws KeyFormatException if the text is anything else
   */
  public static WorkerId parse(String text) {
    int separator = text.indexOf('/');
    if (separator < 0) {
      throw KeyFormatException.of(text, "a worker is written instance/rank");
    }
    int rank = Keyspace.number(text, "the rank", text.substring(separator + 1));
    return new WorkerId(text.substring(0, separator), rank);
  }

  @Override
  public String toString() {
    return instanceId + '/' + rank;
  }
}
