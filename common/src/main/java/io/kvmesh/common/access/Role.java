package io.kvmesh.common.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What callers may do. Each may also do what those before it may. */
public enum Role {
  /** Look at everything, look up chunks. */
  READ,
  /** Command workers. */
  OPERATE,
  /** Change how the program runs. */
  ADMIN;

  /** As it is written in token files and claims: in small letters. */
  public static Optional<Role> parse(String text) {
    return Arrays.stream(values()).filter(role -> role.text().equals(text)).findFirst();
  }

  /** As {@link #parse} takes it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
