package io.kvmesh.embedded;

/** {@link EmbeddedRedis} as a process of its own. */
public final class RedisMain {

  private static final int SERVER_ENDED = 3;

  private RedisMain() {}

  public static void main(String[] args) throws InterruptedException {
    System.setProperty("logback.configurationFile", "kvmesh-embedded-logback.xml");
    EmbeddedRedis redis =
        Service.run(
            "redis",
            args,
            options -> EmbeddedRedis.start(options.dir(), options.port()),
            EmbeddedRedis::port);
    int status = redis.awaitEnd();
    System.err.println("redis: the server has ended with status " + status);
    System.exit(SERVER_ENDED);
  }
}
