package io.kvmesh.agent.config;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What an agent that is going hands over to those that stay.
 *
 * @param atShutdown for so long at most this agent, told to end, first hands its hot chunks over; 0
 *     = not at all. Whoever stops it must wait for that, and some 15 s more
 * @param maxDisplacedPercent of this agent's chunks that may give way to what others hand over, all
 *     of these together; beyond that they get what is free
 */
record Drain(
    @DefaultValue("0s") Duration atShutdown, @DefaultValue("10") int maxDisplacedPercent) {}
