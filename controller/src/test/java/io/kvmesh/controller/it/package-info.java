/** The whole controller against a real Kafka and a real Redis. */
@NullMarked
package io.kvmesh.controller.it;

import org.jspecify.annotations.NullMarked;
