package io.kvmesh.embedded;

/** {@link EmbeddedKafka} as a process of its own. */
public final class KafkaMain {

  private KafkaMain() {}

  public static void main(String[] args) {
    System.setProperty("logback.configurationFile", "kvmesh-embedded-logback.xml");
    Service.run(
        "kafka",
        args,
        options -> EmbeddedKafka.start(options.dir(), options.port()),
        EmbeddedKafka::port);
  }
}
