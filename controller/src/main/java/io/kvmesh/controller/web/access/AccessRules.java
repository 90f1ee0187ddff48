package io.kvmesh.controller.web.access;

import io.kvmesh.common.access.Role;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AuthorizeHttpRequestsConfigurer;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/**
 * Which role each path needs. What isn't named here needs {@link Role#ADMIN}, so that nothing new
 * is open by mistake.
 */
public final class AccessRules {

  /** For probes, which have no credentials. */
  private static final String[] OPEN = {"/actuator/health/liveness", "/actuator/health/readiness"};

  private static final String[] READ = {
    "/api/v1/**",
    "/controller/**",
    "/metrics",
    "/version",
    "/lmc_version",
    "/commit_id",
    "/actuator",
    "/actuator/health/**",
    "/actuator/info/**",
    "/actuator/prometheus/**",
    "/actuator/kvindex/**",
    "/actuator/workers/**",
    "/v3/**",
    "/swagger-ui/**",
    "/swagger-ui.html"
  };

  /** Questions that are too long for a query string. */
  private static final String[] READ_BY_POST = {
    "/api/v1/lookup",
    "/api/v1/holders",
    "/api/v1/scores",
    "/lookup",
    "/query_instance",
    "/query_worker_info",
    "/check_finish"
  };

  private static final String[] OPERATE_BY_POST = {
    "/api/v1/commands/**", "/clear", "/pin", "/compress", "/decompress", "/move", "/health"
  };

  private static final String OPERATE_BY_DELETE = "/api/v1/commands/**";

  private AccessRules() {}

  /** To be asked of {@code authorizeHttpRequests}. */
  public static void authorize(
      AuthorizeHttpRequestsConfigurer<HttpSecurity>.AuthorizationManagerRequestMatcherRegistry
          paths) {
    paths
        .requestMatchers(HttpMethod.GET, OPEN)
        .permitAll()
        .requestMatchers(HttpMethod.GET, READ)
        .hasRole(Role.READ.name())
        .requestMatchers(HttpMethod.POST, READ_BY_POST)
        .hasRole(Role.READ.name())
        .requestMatchers(HttpMethod.POST, OPERATE_BY_POST)
        .hasRole(Role.OPERATE.name())
        .requestMatchers(HttpMethod.DELETE, OPERATE_BY_DELETE)
        .hasRole(Role.OPERATE.name())
        .anyRequest()
        .hasRole(Role.ADMIN.name());
  }

  static GrantedAuthority authority(Role role) {
    return new SimpleGrantedAuthority("ROLE_" + role.name());
  }
}
