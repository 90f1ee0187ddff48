package io.kvmesh.agent.config;

import io.kvmesh.agent.ops.AccessProblems;
import io.kvmesh.agent.ops.AgentEndpoint;
import io.kvmesh.agent.ops.AgentMeters;
import io.kvmesh.agent.ops.CacheHealth;
import io.kvmesh.agent.ops.ChunksEndpoint;
import io.kvmesh.agent.ops.ControllersHealth;
import io.kvmesh.agent.ops.Latencies;
import io.kvmesh.agent.ops.LogHealth;
import io.kvmesh.agent.ops.PeersHealth;
import io.kvmesh.common.process.ParentWatch;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.event.Topology;
import io.kvmesh.program.certificate.CertificateConfiguration;
import io.kvmesh.program.trace.SpanLosses;
import io.kvmesh.program.trace.TraceConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The program's beans: the agent, and what looks at it. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({AccessConfiguration.class, CertificateConfiguration.class, TraceConfiguration.class})
public class AgentConfiguration {

  @Bean
  Latencies latencies(MeterRegistry registry) {
    return new Latencies(registry);
  }

  @Bean(initMethod = "start", destroyMethod = "close")
  Agent agent(
      AgentSettings settings,
      Latencies latencies,
      Traces traces,
      ObjectProvider<BuildProperties> build,
      AgentCertificates certificates) {
    if (settings.parentPid() > 0) {
      ParentWatch.start(settings.parentPid());
    }
    String version = build.stream().map(BuildProperties::getVersion).findFirst().orElse(null);
    return new Agent(settings, latencies, traces, version, certificates::now);
  }

  @Bean
  SpanLosses spanLosses() {
    return new SpanLosses("kvmesh.agent.trace.spans.lost");
  }

  /** As controllers are told of them. */
  @Bean
  AgentCertificates agentCertificates(
      SslBundles bundles, @Value("${server.ssl.bundle:}") String httpBundle) {
    return new AgentCertificates(bundles, httpBundle);
  }

  @Bean
  InfoContributor topologyInfo(AgentSettings settings) {
    Topology topology = settings.topology().announced();
    return info -> {
      if (topology != null) {
        info.withDetail("topology", topology);
      }
    };
  }

  @Bean
  ShutdownDrain shutdownDrain(Agent agent) {
    return new ShutdownDrain(agent);
  }

  @Bean
  AgentMeters agentMeters(Agent agent) {
    return new AgentMeters(agent.parts());
  }

  @Bean
  AccessProblems accessProblems() {
    return new AccessProblems();
  }

  @Bean
  AgentEndpoint agentEndpoint(Agent agent) {
    return new AgentEndpoint(agent.parts());
  }

  @Bean
  ChunksEndpoint chunksEndpoint(Agent agent) {
    return new ChunksEndpoint(agent.parts());
  }

  @Bean
  LogHealth kafkaHealthIndicator(Agent agent) {
    return new LogHealth(agent.parts());
  }

  @Bean
  ControllersHealth controllersHealthIndicator(Agent agent) {
    return new ControllersHealth(agent.parts());
  }

  @Bean
  CacheHealth cacheHealthIndicator(Agent agent) {
    return new CacheHealth(agent.parts());
  }

  @Bean
  PeersHealth peersHealthIndicator(Agent agent) {
    return new PeersHealth(agent.parts());
  }
}
