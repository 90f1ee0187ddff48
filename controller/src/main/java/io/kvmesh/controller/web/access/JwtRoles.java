package io.kvmesh.controller.web.access;

import io.kvmesh.common.access.Role;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.converter.Converter;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.oauth2.jwt.Jwt;

/**
 * The roles that a claim of a token names, as a list or as words in one text. What is no role of
 * ours is passed over. Immutable.
 */
public final class JwtRoles implements Converter<Jwt, Collection<GrantedAuthority>> {

  private final List<String> path;

  /**
   * Roles of that claim.
   *
   * @param claim its name; of one within others their names with dots between
   */
  public JwtRoles(String claim) {
    this.path = List.of(claim.split("\\."));
  }

  @Override
  public Collection<GrantedAuthority> convert(Jwt token) {
    @Nullable Object claim = token.getClaims();
    for (String name : path) {
      claim = claim instanceof Map<?, ?> within ? within.get(name) : null;
    }
    return words(claim)
        .flatMap(word -> Role.parse(word).stream())
        .map(AccessRules::authority)
        .toList();
  }

  private static Stream<String> words(@Nullable Object claim) {
    return switch (claim) {
      case Collection<?> many -> many.stream().map(String::valueOf);
      case String text -> Arrays.stream(text.split(" "));
      case null, default -> Stream.empty();
    };
  }
}
