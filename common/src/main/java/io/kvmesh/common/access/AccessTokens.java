package io.kvmesh.common.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The callers' tokens, from a file of lines {@code role token}, such as {@code operate
 * 9f86d081884c7d65}. Empty lines and those that begin with # are passed over. Immutable; keeps
 * digests only, so that how long a look takes tells nothing of a token.
 */
public final class AccessTokens {

  private static final int MAX_BYTES = 1 << 20;

  /** What a bearer token may hold (RFC 6750, section 2.1), and at least 80 bits as hex digits. */
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]{20,512}=*");

  private final Map<String, Role> roles;

  private AccessTokens(Map<String, Role> roles) {
    this.roles = Map.copyOf(roles);
  }

  /**
   * Reads the file.
   *
   * @throws IOException if it can't be read, names no token, or has a line that isn't as it should
   *     be; that line's number is named, never its token
   */
  public static AccessTokens read(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException("has more than " + MAX_BYTES + " bytes");
    }
    Map<String, Role> roles = new HashMap<>();
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        add(roles, line.split("\\s+"), i + 1);
      }
    }
    if (roles.isEmpty()) {
      throw new IOException("names no token");
    }
    return new AccessTokens(roles);
  }

  private static void add(Map<String, Role> roles, String[] words, int line) throws IOException {
    Role role = Role.parse(words[0]).orElse(null);
    if (words.length != 2 || role == null || !TOKEN.matcher(words[1]).matches()) {
      throw new IOException(
          "line %d must be read, operate or admin, and a token of 20 to 512 characters"
              .formatted(line));
    }
    if (roles.put(digest(words[1]), role) != null) {
      throw new IOException("line %d has a token that an earlier line has".formatted(line));
    }
  }

  /** What who brings it may do; empty if it is none of these. */
  public Optional<Role> roleOf(String token) {
    return Optional.ofNullable(roles.get(digest(token)));
  }

  private static String digest(String token) {
    try {
      byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
