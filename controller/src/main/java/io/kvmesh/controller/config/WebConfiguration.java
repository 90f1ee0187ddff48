package io.kvmesh.controller.config;

import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.controller.command.CommandService;
import io.kvmesh.controller.ingest.LogIngest;
import io.kvmesh.controller.lmcache.FrontCounts;
import io.kvmesh.controller.lookup.HolderLookup;
import io.kvmesh.controller.lookup.InstanceLookup;
import io.kvmesh.controller.lookup.LocationWeights;
import io.kvmesh.controller.lookup.PrefixScores;
import io.kvmesh.controller.ops.AccessMeters;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.controller.web.ApiErrors;
import io.kvmesh.controller.web.BodyLimitFilter;
import io.kvmesh.controller.web.ChunkReader;
import io.kvmesh.controller.web.CommandDesk;
import io.kvmesh.controller.web.CommandResource;
import io.kvmesh.controller.web.ContentTypeFilter;
import io.kvmesh.controller.web.ErrorPage;
import io.kvmesh.controller.web.EventsResource;
import io.kvmesh.controller.web.InstancesResource;
import io.kvmesh.controller.web.KeysResource;
import io.kvmesh.controller.web.LogResource;
import io.kvmesh.controller.web.LookupResource;
import io.kvmesh.controller.web.OpenApiTexts;
import io.kvmesh.controller.web.ProblemValve;
import io.kvmesh.controller.web.ScoreResource;
import io.kvmesh.controller.web.StrictJson;
import io.kvmesh.controller.web.WorkerCatalog;
import io.kvmesh.controller.web.WorkersResource;
import io.kvmesh.controller.web.access.AccessProblems;
import io.kvmesh.controller.web.lmcache.LmcacheCommands;
import io.kvmesh.controller.web.lmcache.LmcacheQueries;
import io.kvmesh.controller.web.lmcache.LmcacheService;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.info.GitProperties;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** The REST part of the wiring. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {

  private static final String UNKNOWN = "unknown";

  @Bean
  WorkerCatalog workerCatalog(WorkerRegistry registry, IngestView view) {
    return new WorkerCatalog(registry, view);
  }

  @Bean
  WorkersResource workersResource(
      WorkerCatalog catalog, IngestView view, ControllerSettings settings) {
    return new WorkersResource(catalog, view, settings.web().maxWait());
  }

  @Bean
  InstancesResource instancesResource(WorkerCatalog catalog) {
    return new InstancesResource(catalog);
  }

  @Bean
  CommandDesk commandDesk(
      CommandService commands, WorkerCatalog catalog, ControllerSettings settings) {
    return new CommandDesk(
        commands, catalog, settings.web().maxTokens(), settings.web().maxHashes());
  }

  @Bean
  CommandResource commandResource(CommandDesk desk, ControllerSettings settings) {
    return new CommandResource(desk, settings.web().maxWait());
  }

  @Bean
  LmcacheCommands lmcacheCommands(CommandDesk desk) {
    return new LmcacheCommands(desk);
  }

  @Bean
  LmcacheQueries lmcacheQueries(
      InstanceLookup lookup, WorkerCatalog catalog, ControllerSettings settings) {
    return new LmcacheQueries(lookup, catalog, settings.web().maxTokens());
  }

  @Bean
  LmcacheService lmcacheService(
      WorkerRegistry registry,
      LogIngest ingest,
      FrontCounts front,
      LoggingSystem logging,
      ObjectProvider<BuildProperties> build,
      ObjectProvider<GitProperties> git) {
    return new LmcacheService(
        new FrontGauges(registry, () -> ingest.counts().gaps(), front),
        logging,
        build.stream().map(BuildProperties::getVersion).findFirst().orElse(UNKNOWN),
        git.stream().map(GitProperties::getCommitId).findFirst().orElse(UNKNOWN));
  }

  @Bean
  LookupResource lookupResource(
      HolderLookup lookup, ServedView view, WorkerCatalog catalog, ChunkReader chunks) {
    return new LookupResource(lookup, view.index(), catalog, chunks);
  }

  @Bean
  ChunkReader chunkReader(TokenChunker chunker, ControllerSettings settings) {
    return new ChunkReader(
        chunker, VllmConfiguration.chunkers(settings.vllm()), settings.web().maxHashes());
  }

  @Bean
  ScoreResource scoreResource(
      ServedView view,
      WorkerRegistry registry,
      WorkerCatalog catalog,
      ChunkReader chunks,
      ControllerSettings settings) {
    LocationWeights weights = LocationWeights.parse(settings.score().weights());
    return new ScoreResource(new PrefixScores(view.index(), registry, weights), catalog, chunks);
  }

  @Bean
  LogResource logResource(IngestView view, WorkerCatalog catalog) {
    return new LogResource(view, catalog);
  }

  @Bean
  EventsResource eventsResource(Trail trail) {
    return new EventsResource(trail);
  }

  @Bean
  OpenApiTexts openApiTexts() {
    return new OpenApiTexts();
  }

  @Bean
  KeysResource keysResource(ServedView view, WorkerCatalog catalog) {
    return new KeysResource(view.index(), catalog);
  }

  @Bean
  ApiErrors apiErrors() {
    return new ApiErrors();
  }

  @Bean
  StrictJson strictJson() {
    return new StrictJson();
  }

  @Bean
  AccessProblems accessProblems(
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver errors) {
    return new AccessProblems(errors);
  }

  @Bean
  AccessMeters accessMeters(AccessProblems problems) {
    return new AccessMeters(problems);
  }

  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> problemValve() {
    return ProblemValve.customizer();
  }

  @Bean
  FilterRegistrationBean<ContentTypeFilter> contentTypes(
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver errors) {
    return new FilterRegistrationBean<>(new ContentTypeFilter(errors));
  }

  @Bean
  ErrorPage errorPage() {
    return new ErrorPage();
  }

  @Bean
  FilterRegistrationBean<BodyLimitFilter> bodyLimit(
      ControllerSettings settings,
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver errors) {
    return new FilterRegistrationBean<>(
        new BodyLimitFilter(settings.web().maxBody().toBytes(), errors));
  }
}
