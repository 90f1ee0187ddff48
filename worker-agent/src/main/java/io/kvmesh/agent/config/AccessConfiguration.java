package io.kvmesh.agent.config;

import io.kvmesh.agent.ops.AccessProblems;
import io.kvmesh.common.access.Role;
import io.kvmesh.program.access.AccessBasics;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.web.SecurityFilterChain;

/**
 * The part of the wiring that asks who is asking over HTTP; absent without a file of tokens. What
 * isn't named here needs {@link Role#ADMIN}, so that no further endpoint is open by mistake.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(AccessConfiguration.Wanted.class)
@Import(AccessBasics.class)
class AccessConfiguration {

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

  @Bean
  SecurityFilterChain httpAccess(
      HttpSecurity http, AgentSettings settings, AccessProblems problems) {
    OpaqueTokenIntrospector tokens = AccessBasics.introspector(settings.access().tokensFile());
    return AccessBasics.stateless(http, problems)
        .authorizeHttpRequests(
            paths ->
                paths
                    .requestMatchers(HttpMethod.GET, OPEN)
                    .permitAll()
                    .requestMatchers(HttpMethod.GET, READ)
                    .hasRole(Role.READ.name())
                    .anyRequest()
                    .hasRole(Role.ADMIN.name()))
        .oauth2ResourceServer(
            it ->
                it.authenticationEntryPoint(problems)
                    .accessDeniedHandler(problems)
                    .opaqueToken(token -> token.introspector(tokens)))
        .build();
  }
}
