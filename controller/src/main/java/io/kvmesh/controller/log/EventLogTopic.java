package io.kvmesh.controller.log;

import static java.util.Objects.requireNonNull;

import io.kvmesh.common.wire.event.EventTopic;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event log's topic: created if it isn't there, and told apart from others of its name. */
public final class EventLogTopic {

  private static final Logger log = LoggerFactory.getLogger(EventLogTopic.class);
  private static final int TIMEOUT_MILLIS = 5_000;

  private final String name;
  private final Map<String, Object> kafka;
  private final int partitions;
  private final int replicationFactor;
  private volatile List<TopicMisfit> misfits = List.of();
  private volatile @Nullable Description latest;

  /**
   * A topic as the broker describes it.
   *
   * @param id of this very topic: one that is deleted and created again has another
   */
  public record Description(String id, int partitions) {}

  /**
   * Names the topic; see {@link #ensure}.
   *
   * @param kafka properties of Kafka clients, bootstrap.servers among them
   * @param partitions if it has to be created
   * @param replicationFactor if it has to be created; −1 = the broker's default
   */
  public EventLogTopic(
      String cluster, Map<String, Object> kafka, int partitions, int replicationFactor) {
    this.name = EventTopic.name(cluster);
    this.kafka = Map.copyOf(kafka);
    this.partitions = partitions;
    this.replicationFactor = replicationFactor;
  }

  /** Name of the topic. */
  public String name() {
    return name;
  }

  /** In what the topic, as it was last described, differs from what the log needs. Any thread. */
  public List<TopicMisfit> misfits() {
    return misfits;
  }

  /** The topic as it was last described; null before. Any thread. */
  public @Nullable Description latest() {
    return latest;
  }

  /** Whether the topic should be described once more; may wait before it says so. */
  @FunctionalInterface
  public interface Again {

    boolean wanted() throws InterruptedException;
  }

  /**
   * Describes the topic now and again and again, so that {@link #latest} and {@link #misfits}
   * follow what is done to it. It is not created.
   *
   * @throws LogUnavailableException if the broker doesn't answer, or refuses, or has no such topic
   */
  public void watch(Again again) throws InterruptedException {
    try (Admin admin = Admin.create(adminProperties())) {
      try {
        do {
          var _ = describe(admin);
        } while (again.wanted());
      } finally {
        admin.close(Duration.ZERO);
      }
    } catch (RuntimeException e) {
      throw unavailable(e);
    }
  }

  private Map<String, Object> adminProperties() {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
    properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
    return properties;
  }

  /**
   * Describes the topic, which is created if it isn't there.
   *
   * @throws LogUnavailableException if the broker doesn't answer, or refuses
   */
  public Description ensure() throws InterruptedException {
    try (Admin admin = Admin.create(adminProperties())) {
      try {
        return describeOrCreate(admin);
      } finally {
        admin.close(Duration.ZERO);
      }
    } catch (RuntimeException e) {
      throw unavailable(e);
    }
  }

  private Description describeOrCreate(Admin admin) throws InterruptedException {
    try {
      return describe(admin);
    } catch (LogUnavailableException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return createUnlessItIsThere(admin);
      }
      throw e;
    }
  }

  /** Another controller, an agent or another thread may do the same. */
  private Description createUnlessItIsThere(Admin admin) throws InterruptedException {
    try {
      return create(admin);
    } catch (LogUnavailableException e) {
      if (e.getCause() instanceof TopicExistsException) {
        return describe(admin);
      }
      throw e;
    }
  }

  private Description create(Admin admin) throws InterruptedException {
    NewTopic topic =
        new NewTopic(
                name,
                Optional.of(partitions),
                replicationFactor < 0 ? Optional.empty() : Optional.of((short) replicationFactor))
            .configs(EventTopic.CONFIG);
    CreateTopicsResult created = admin.createTopics(List.of(topic));
    Description description =
        new Description(get(created.topicId(name)).toString(), get(created.numPartitions(name)));
    misfits = List.of();
    latest = description;
    log.info("Created topic {} with {} partitions", name, description.partitions());
    return description;
  }

  private Description describe(Admin admin) throws InterruptedException {
    TopicDescription topic =
        requireNonNull(get(admin.describeTopics(List.of(name)).allTopicNames()).get(name));
    note(misfits(admin, topic));
    Description found = new Description(topic.topicId().toString(), topic.partitions().size());
    latest = found;
    return found;
  }

  private List<TopicMisfit> misfits(Admin admin, TopicDescription topic)
      throws InterruptedException {
    TopicCheck check = new TopicCheck(partitions, replicationFactor);
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
    try {
      Config config =
          requireNonNull(get(admin.describeConfigs(List.of(resource)).all()).get(resource));
      return check.misfits(topic, config);
    } catch (LogUnavailableException e) {
      if (e.getCause() instanceof AuthorizationException) {
        return List.of(TopicCheck.unreadable(String.valueOf(e.getCause().getMessage())));
      }
      throw e;
    }
  }

  private void note(List<TopicMisfit> found) {
    List<TopicMisfit> before = misfits;
    misfits = List.copyOf(found);
    for (TopicMisfit misfit : found) {
      if (!before.contains(misfit)) {
        log.warn(
            "Topic {} has {} = {}, where {} is needed: {}",
            name,
            misfit.setting(),
            misfit.value(),
            misfit.needed(),
            misfit.effect());
      }
    }
  }

  private <T> T get(KafkaFuture<T> future) throws InterruptedException {
    try {
      return future.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw unavailable(e);
    }
  }

  private LogUnavailableException unavailable(Exception e) {
    if (e instanceof LogUnavailableException known) {
      return known;
    }
    Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
    return new LogUnavailableException(
        "Topic %s can't be described: %s".formatted(name, cause), cause);
  }
}
