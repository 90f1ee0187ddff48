/** What Kafka's clients are given. */
@NullMarked
package io.kvmesh.program.kafka;

import org.jspecify.annotations.NullMarked;
