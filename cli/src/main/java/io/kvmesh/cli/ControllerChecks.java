package io.kvmesh.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** What is wrong with one controller, its Kafka, its Redis and the log as it sees it. */
final class ControllerChecks {

  private static final Duration CLOCKS_APART = Duration.ofSeconds(5);
  private static final Duration LAG = Duration.ofSeconds(30);

  private final Survey survey;
  private final List<Finding> found = new ArrayList<>();

  private ControllerChecks(Survey survey) {
    this.survey = survey;
  }

  static List<Finding> of(Survey survey) {
    ControllerChecks checks = new ControllerChecks(survey);
    checks.index();
    checks.kafka();
    checks.redis();
    checks.topic();
    checks.lag();
    checks.rejected();
    checks.clock();
    checks.workers();
    return checks.found;
  }

  /** It can't be asked. */
  static Finding unreachable(ApiException e, String url) {
    if (e instanceof ApiException.Unreachable unreachable && unreachable.certificate() != null) {
      return Finding.trouble(
          url,
          unreachable.certificate().what(),
          "it was asked nothing. Agents ask it over ZeroMQ and go on; programs that check"
              + " certificates, perhaps Prometheus too, refuse it as well",
          unreachable.certificate().change());
    }
    return e instanceof ApiException.Refused
        ? Finding.trouble(
            url,
            "answers, but refuses: " + e.getMessage(),
            "it isn't a kvmesh controller, or one of another version",
            "name a controller's REST with --url (its server.port, 9000)")
        : Finding.trouble(
            "controller",
            String.valueOf(e.getMessage()),
            "agents go on with another controller; without any, only what an agent has itself is"
                + " found",
            "start it, or name its REST with --url (its server.port, 9000)");
  }

  private JsonNode part(String name) {
    return survey.health().path("components").path(name);
  }

  private boolean isUp(String name) {
    return part(name).path("status").asString("").equals("UP");
  }

  private void index() {
    if (!isUp("index")) {
      found.add(
          Finding.trouble(
              survey.url(),
              "has not read the log to its end",
              "its lookups are answered not_ready, and agents ask the next controller",
              "if Kafka is down too, bring that back; else wait while `kvmesh status` shows LAG"
                  + " fall, and look into the controller's log if it stands"));
    }
    if (part("index").path("details").path("full").asBoolean(false)) {
      found.add(
          Finding.warning(
              survey.url(),
              "its view in memory is full, or nearly",
              "chunks that find no room are not found at their workers",
              "give it more heap, or raise kvmesh.index.max-placements"));
    }
  }

  private void kafka() {
    if (!isUp("kafka")) {
      found.add(
          Finding.trouble(
              survey.url(),
              "Kafka doesn't answer it",
              "lookups are answered from what is known; what is stored from now on isn't found by"
                  + " others, and a new agent offers nothing",
              "start Kafka, or correct kvmesh.kafka.bootstrap-servers; nothing else is needed"
                  + " when it is back"));
    }
  }

  private void redis() {
    if (!isUp("redis")) {
      String reason = part("redis").path("details").path("reason").asString("it is away");
      found.add(
          Finding.trouble(
              survey.url(),
              reason.startsWith("Redis") ? reason : "Redis: " + reason,
              "lookups go on; but a controller that starts meanwhile must read the whole log",
              mendRedis(reason)));
    }
  }

  private static String mendRedis(String reason) {
    if (reason.contains("later version")) {
      return "run the version that wrote it, or give this one another kvmesh.cluster";
    }
    return reason.startsWith("Redis answers")
        ? "do as it says; what it lacks is written again when it takes changes"
        : "start Redis, or correct kvmesh.redis.uri; what it lacks is written again when it is"
            + " back";
  }

  private void topic() {
    for (JsonNode misfit : survey.log().path("misfits")) {
      found.add(
          Finding.warning(
              survey.url(),
              "the log's topic has %s %s, needed is %s"
                  .formatted(
                      Table.text(misfit.path("setting")),
                      Table.text(misfit.path("value")),
                      Table.text(misfit.path("needed"))),
              Table.text(misfit.path("effect")),
              "set it at Kafka (kafka-configs --alter); the number of partitions must stay"));
    }
  }

  private void lag() {
    for (JsonNode partition : survey.log().path("partitions")) {
      if (partition.path("millis").asLong(0) > LAG.toMillis()) {
        found.add(
            Finding.warning(
                survey.url(),
                "is %s records and %s behind in partition %s"
                    .formatted(
                        Table.text(partition.path("records")),
                        Text.age(partition.path("millis")),
                        Table.text(partition.path("partition"))),
                "lookups miss what was stored since",
                "if Kafka answers, give the controller more CPU; each reads the whole log, so"
                    + " more of them don't help"));
      }
    }
  }

  private void rejected() {
    long records = 0;
    for (JsonNode count : survey.rejected().path("counts")) {
      records += count.asLong(0);
    }
    if (records > 0) {
      JsonNode last = survey.rejected().path("records").path(0);
      found.add(
          Finding.warning(
              survey.url(),
              "passed over %d records of the log since its start; the last: partition %s offset %s, %s"
                  .formatted(
                      records,
                      Table.text(last.path("partition")),
                      Table.text(last.path("offset")),
                      Table.text(last.path("reason"))),
              "what they said isn't in the index; a worker's next snapshot brings what is its own",
              "find who writes them to the topic: GET /api/v1/log/rejected has key and first bytes;"
                  + " kind unsupported_format means that a writer is newer than this controller"));
    }
  }

  private void clock() {
    if (survey.clockAhead().abs().compareTo(CLOCKS_APART) > 0) {
      found.add(
          Finding.warning(
              survey.url(),
              "its clock is %d s %s the one here"
                  .formatted(
                      survey.clockAhead().abs().toSeconds(),
                      survey.clockAhead().isNegative() ? "behind" : "ahead of"),
              "nothing in kvmesh compares clocks, but times in logs and metrics mislead",
              "have both keep time by NTP"));
    }
    long latest = 0;
    for (JsonNode partition : survey.log().path("partitions")) {
      latest = Math.max(latest, partition.path("logMillis").asLong(0));
    }
    Duration ahead =
        Duration.between(Instant.now().plus(survey.clockAhead()), Instant.ofEpochMilli(latest));
    if (ahead.compareTo(CLOCKS_APART) > 0) {
      found.add(
          Finding.warning(
              survey.url(),
              "Kafka's clock is " + ahead.toSeconds() + " s ahead of the controller's",
              "retention removes records later than meant; silence of workers is measured by"
                  + " Kafka's clock alone and stays right",
              "have the brokers keep time by NTP"));
    }
  }

  private void workers() {
    if (survey.workers().isEmpty() && isUp("index")) {
      found.add(
          Finding.warning(
              survey.url(),
              "knows no worker",
              "every lookup is a miss",
              "start agents with the same kvmesh.cluster and kvmesh.kafka.bootstrap-servers as the"
                  + " controller; LMCache workers need its controller_pull_url and"
                  + " controller_reply_url"));
    }
  }
}
