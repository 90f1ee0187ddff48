package io.kvmesh.agent.config;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** The one wiring class: every object of the program is made here, and knows only its own. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class AgentConfiguration {}
