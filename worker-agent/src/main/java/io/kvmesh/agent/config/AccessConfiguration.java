package io.kvmesh.agent.config;

import io.kvmesh.agent.ops.AccessProblems;
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
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.http.HttpMethod;
import org.springframework.security.access.hierarchicalroles.RoleHierarchy;
import org.springframework.security.access.hierarchicalroles.RoleHierarchyImpl;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.web.SecurityFilterChain;

/**
 * The part of the wiring that asks who is asking over HTTP; absent without a file of tokens. What
 * isn't named here needs {@link Role#ADMIN}, so that no further endpoint is open by mistake.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(AccessConfiguration.Wanted.class)
@EnableWebSecurity
class AccessConfiguration {

  private static final int BEFORE_ALL_OTHERS = -100;

  /** For probes, which have no credentials. */
  private static final String[] OPEN = {"/actuator/health/liveness", "/actuator/health/readiness"};

  private static final String[] READ = {
    "/actuator",
    "/actuator/health/**",
    "/actuator/info/**",
    "/actuator/prometheus/**",
    "/actuator/agent/**",
    "/actuator/chunks/**"
  };

  /** Whether anybody is to be asked. */
  static final class Wanted implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return context.getBeanFactory() != null
          && context.getBeanFactory().getSingleton("agentSettings")
              instanceof AgentSettings settings
          && !settings.access().tokensFile().isEmpty();
    }
  }

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

  /** No sessions and no forms: each request brings its token. */
  @Bean
  SecurityFilterChain httpAccess(
      HttpSecurity http, AgentSettings settings, AccessProblems problems) {
    return http.authorizeHttpRequests(
            paths ->
                paths
                    .requestMatchers(HttpMethod.GET, OPEN)
                    .permitAll()
                    .requestMatchers(HttpMethod.GET, READ)
                    .hasRole(Role.READ.name())
                    .anyRequest()
                    .hasRole(Role.ADMIN.name()))
        .sessionManagement(it -> it.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .csrf(it -> it.disable())
        .requestCache(it -> it.disable())
        .logout(it -> it.disable())
        .exceptionHandling(
            it -> it.authenticationEntryPoint(problems).accessDeniedHandler(problems))
        .oauth2ResourceServer(
            it ->
                it.authenticationEntryPoint(problems)
                    .accessDeniedHandler(problems)
                    .opaqueToken(token -> token.introspector(introspector(settings.access()))))
        .build();
  }

  private static OpaqueTokenIntrospector introspector(Access access) {
    AccessTokens tokens = tokens(access.tokensFile());
    return token -> {
      Role role =
          tokens.roleOf(token).orElseThrow(() -> new BadOpaqueTokenException("no such token"));
      return new DefaultOAuth2AuthenticatedPrincipal(
          role.text(),
          Map.of("active", true),
          List.of(new SimpleGrantedAuthority("ROLE_" + role.name())));
    };
  }

  private static AccessTokens tokens(String file) {
    try {
      return AccessTokens.read(Path.of(file));
    } catch (IOException e) {
      throw new UncheckedIOException("kvmesh.access.tokens-file can't be read", e);
    }
  }

  /** Before everything that reads a request. */
  @Bean
  FilterRegistrationBean<Filter> accessFilter(
      @Qualifier("springSecurityFilterChain") Filter chain) {
    FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(chain);
    registration.setOrder(BEFORE_ALL_OTHERS);
    return registration;
  }
}
