package io.kvmesh.controller.log;

/**
 * Something of the log's topic that isn't as the log needs it. The topic is used all the same: what
 * it is like was somebody's decision, which the program doesn't overrule.
 *
 * @param setting of the topic
 * @param value that it has
 * @param needed what it should be
 * @param effect what comes of it
 */
public record TopicMisfit(String setting, String value, String needed, String effect) {}
