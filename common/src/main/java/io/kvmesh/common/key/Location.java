package io.kvmesh.common.key;

/**
 * Where in a worker chunks are, such as {@code LocalCPUBackend}: a name that the worker chooses.
 */
public final class Location {

  private static final int MAX_CHARS = 200;

  private Location() {}

  /**
   * Checks a name.
   *
   * @throws KeyFormatException if it can be none
   */
  public static void require(String name) {
    if (name.isBlank() || name.length() > MAX_CHARS) {
      throw KeyFormatException.of(name, "a location has 1 to " + MAX_CHARS + " characters");
    }
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw KeyFormatException.of(name, "a location has no control character");
    }
  }
}
