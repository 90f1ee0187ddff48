package io.kvmesh.common.wire.control;

/** A worker's receipt for a command. */
public sealed interface ControlReply extends ControlMessage
    permits ClearWorkerRetMsg,
        PinWorkerRetMsg,
        CompressWorkerRetMsg,
        DecompressWorkerRetMsg,
        MoveWorkerRetMsg,
        PrefetchWorkerRetMsg,
        DrainWorkerRetMsg,
        HealthWorkerRetMsg,
        ReachWorkerRetMsg,
        CheckFinishWorkerRetMsg,
        ErrorMsg {}
