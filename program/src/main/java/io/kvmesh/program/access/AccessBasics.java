package io.kvmesh.program.access;

import io.kvmesh.common.access.AccessTokens;
import io.kvmesh.common.access.Role;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.hierarchicalroles.RoleHierarchy;
import org.springframework.security.access.hierarchicalroles.RoleHierarchyImpl;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;

/**
 * What both programs ask in the same way. A program that asks imports this, and has the filter
 * chain with its own paths.
 */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
public class AccessBasics {

  private static final int BEFORE_ALL_OTHERS = -100;

  /** A role may do what those before it may. */
  @Bean
  RoleHierarchy roleHierarchy() {
    return RoleHierarchyImpl.withDefaultRolePrefix()
        .role(Role.ADMIN.name())
        .implies(Role.OPERATE.name())
        .role(Role.OPERATE.name())
        .implies(Role.READ.name())
        .build();
  }

  /** Before everything that reads a request. */
  @Bean
  FilterRegistrationBean<Filter> accessFilter(
      @Qualifier("springSecurityFilterChain") Filter chain) {
    FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(chain);
    registration.setOrder(BEFORE_ALL_OTHERS);
    return registration;
  }

  /**
   * No sessions and no forms: each request brings its token.
   *
   * @param problems answers who isn't let in
   */
  public static <P extends AuthenticationEntryPoint & AccessDeniedHandler> HttpSecurity stateless(
      HttpSecurity http, P problems) {
    return http.sessionManagement(it -> it.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        // No cookie says who asks, so no page can ask in somebody's name.
        .csrf(it -> it.disable())
        .requestCache(it -> it.disable())
        .logout(it -> it.disable())
        .exceptionHandling(
            it -> it.authenticationEntryPoint(problems).accessDeniedHandler(problems));
  }

  /**
   * Knows callers by the tokens of a file, as it is now.
   *
   * @throws UncheckedIOException if the file can't be read
   */
  public static OpaqueTokenIntrospector introspector(String tokensFile) {
    AccessTokens tokens = read(tokensFile);
    return token -> {
      Role role =
          tokens.roleOf(token).orElseThrow(() -> new BadOpaqueTokenException("no such token"));
      return new DefaultOAuth2AuthenticatedPrincipal(
          role.text(),
          Map.of("active", true),
          List.of(new SimpleGrantedAuthority("ROLE_" + role.name())));
    };
  }

  private static AccessTokens read(String file) {
    try {
      return AccessTokens.read(Path.of(file));
    } catch (IOException e) {
      throw new UncheckedIOException("kvmesh.access.tokens-file can't be read", e);
    }
  }
}
