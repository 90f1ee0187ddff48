package io.kvmesh.agent.config;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who may ask over HTTP.
 *
 * @param tokensFile file with a line for each token: its role (read, operate or admin) and the
 *     token; empty = whoever reaches the HTTP port may ask
 */
record Access(@DefaultValue("") String tokensFile) {}
