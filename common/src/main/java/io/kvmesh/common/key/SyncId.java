package io.kvmesh.common.key;

/** The name that a worker gives to one listing of all it holds: a full sync, a snapshot. */
public final class SyncId {

  private static final int MAX_CHARS = 512;

  private SyncId() {}

  /**
   * Checks a name.
   *
   * @throws KeyFormatException if it can be none
   */
  public static void require(String id) {
    if (id.length() > MAX_CHARS || id.chars().anyMatch(Character::isISOControl)) {
      throw KeyFormatException.of(
          "sync id",
          id,
          "it has at most " + MAX_CHARS + " characters, none of them a control character");
    }
  }
}
