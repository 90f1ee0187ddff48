package io.kvmesh.common.wire.control;

/** A command to a worker; every command has one reply. */
public sealed interface ControlRequest extends ControlMessage
    permits ClearWorkerMsg,
        PinWorkerMsg,
        CompressWorkerMsg,
        DecompressWorkerMsg,
        MoveWorkerMsg,
        PrefetchWorkerMsg,
        CheckPrefetchWorkerMsg,
        CancelPrefetchWorkerMsg,
        DrainWorkerMsg,
        CheckDrainWorkerMsg,
        CancelDrainWorkerMsg,
        UndrainWorkerMsg,
        HealthWorkerMsg,
        ReachWorkerMsg,
        CheckFinishWorkerMsg {}
