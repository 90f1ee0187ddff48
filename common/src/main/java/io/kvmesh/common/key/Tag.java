package io.kvmesh.common.key;

/**
 * A label of a request that is part of its chunks' identity, written {@code name%value}. The value
 * may hold any character but '@', the name neither '@' nor '%'.
 */
public record Tag(String name, String value) {

  /** Checks that the tag can be written. */
  public Tag {
    if (name.indexOf('@') >= 0 || name.indexOf('%') >= 0) {
      throw KeyFormatException.of(name, "a tag's name has no '@' and no '%'");
    }
    if (value.indexOf('@') >= 0) {
      throw KeyFormatException.of(value, "a tag's value has no '@'");
    }
  }

  static Tag parse(String text) {
    int separator = text.indexOf('%');
    if (separator < 0) {
      throw KeyFormatException.of(text, "a tag is written name%value");
    }
    return new Tag(text.substring(0, separator), text.substring(separator + 1));
  }

  @Override
  public String toString() {
    return name + '%' + value;
  }
}
