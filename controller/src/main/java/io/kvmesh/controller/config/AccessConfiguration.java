package io.kvmesh.controller.config;

import io.kvmesh.controller.web.access.AccessProblems;
import io.kvmesh.controller.web.access.AccessRules;
import io.kvmesh.controller.web.access.JwtRoles;
import io.kvmesh.program.access.AccessBasics;
import java.time.Duration;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.oauth2.server.resource.OAuth2ResourceServerConfigurer;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationConverter;
import org.springframework.security.oauth2.server.resource.web.authentication.BearerTokenAuthenticationFilter;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.client.RestTemplate;

/**
 * The part of the wiring that asks who is asking; absent where {@code kvmesh.access.mode} is off.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(AccessConfiguration.Wanted.class)
@Import(AccessBasics.class)
class AccessConfiguration {

  private static final Duration KEYS_TIMEOUT = Duration.ofSeconds(2);

  /** Whether anybody is to be asked. */
  static final class Wanted implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return context.getBeanFactory() != null
          && context.getBeanFactory().getSingleton("controllerSettings")
              instanceof ControllerSettings settings
          && settings.access().mode() != ControllerSettings.AccessMode.OFF;
    }
  }

  @Bean
  SecurityFilterChain restAccess(
      HttpSecurity http, ControllerSettings settings, AccessProblems problems) {
    ControllerSettings.Access access = settings.access();
    return AccessBasics.stateless(http, problems)
        .authorizeHttpRequests(AccessRules::authorize)
        .oauth2ResourceServer(server -> authenticate(server, access, problems))
        .build();
  }

  private static void authenticate(
      OAuth2ResourceServerConfigurer<HttpSecurity> server,
      ControllerSettings.Access access,
      AccessProblems problems) {
    server
        .authenticationEntryPoint(problems)
        .accessDeniedHandler(problems)
        .withObjectPostProcessor(
            new ObjectPostProcessor<BearerTokenAuthenticationFilter>() {
              @Override
              public <F extends BearerTokenAuthenticationFilter> F postProcess(F filter) {
                filter.setAuthenticationFailureHandler(problems);
                return filter;
              }
            });
    if (access.mode() == ControllerSettings.AccessMode.TOKENS) {
      server.opaqueToken(it -> it.introspector(AccessBasics.introspector(access.tokensFile())));
    } else {
      server.jwt(
          it -> it.decoder(decoder(access.jwt())).jwtAuthenticationConverter(roles(access.jwt())));
    }
  }

  private static JwtDecoder decoder(ControllerSettings.Jwt jwt) {
    SimpleClientHttpRequestFactory http = new SimpleClientHttpRequestFactory();
    http.setConnectTimeout(KEYS_TIMEOUT);
    http.setReadTimeout(KEYS_TIMEOUT);
    NimbusJwtDecoder decoder =
        NimbusJwtDecoder.withJwkSetUri(jwt.keysUri())
            .jwsAlgorithms(all -> all.addAll(List.of(SignatureAlgorithm.values())))
            .restOperations(new RestTemplate(http))
            .build();
    decoder.setJwtValidator(
        JwtValidators.createDefaultWithValidators(
            List.<OAuth2TokenValidator<Jwt>>of(
                new JwtIssuerValidator(jwt.issuer()),
                new JwtClaimValidator<List<String>>(
                    JwtClaimNames.AUD, all -> all != null && all.contains(jwt.audience())))));
    return decoder;
  }

  private static JwtAuthenticationConverter roles(ControllerSettings.Jwt jwt) {
    JwtAuthenticationConverter converter = new JwtAuthenticationConverter();
    converter.setJwtGrantedAuthoritiesConverter(new JwtRoles(jwt.rolesClaim()));
    return converter;
  }
}
